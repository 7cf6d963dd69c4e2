from types import SimpleNamespace

from tests.bench.columns import column
from tools.bench.modes.scaling import judge
from tools.bench.options import parse

OPTIONS = parse(["--processes", "2", "--only", "flow"])


def test_several_processes_are_compared_with_one():
    columns = [column("1 process", {"flow": 100}), column("2 processes", {"flow": 111})]

    judged = judge(SimpleNamespace(columns=columns, options=OPTIONS))

    (failure,) = judged.failures
    assert "1.11" in failure
    assert "1 process" in failure


def test_where_cpus_are_too_few_they_are_compared_with_as_many_services():
    columns = [
        column("1 process", {"flow": 100}),
        column("2 processes", {"flow": 143}),
        column("2 services", {"flow": 130}),
    ]

    judged = judge(SimpleNamespace(columns=columns, options=OPTIONS))

    assert judged.failures == ()
    assert "1.43" in judged.text
    assert "1.10" in judged.text
