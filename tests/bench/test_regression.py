"""A commit that has become dearer fails the run; one that has not does not."""

from types import SimpleNamespace

import pytest

from tests.bench.columns import column
from tools.bench.modes import regression
from tools.bench.modes.mode import Bench
from tools.bench.report.comparison import dearer


def bench_of(*columns):
    return Bench(
        [SimpleNamespace(column=each) for each in columns], SimpleNamespace(cases=("flow",))
    )


@pytest.mark.parametrize(("cost", "found"), [(115, []), (116, ["flow"])])
def test_what_is_dearer_by_more_than_the_limit_is_suspicious(cost, found):
    base, other = column("base", {"flow": 100}), column("other", {"flow": cost})

    suspicious = dearer(base, other, ["flow"], regression.LIMIT)

    assert [each.case for each in suspicious] == found


def test_a_run_without_anything_suspicious_passes_at_once():
    judgement = regression.judge(
        bench_of(
            column("v1", {"flow": 100}, {"flow": 90}), column("now", {"flow": 99}, {"flow": 99})
        )
    )

    assert judgement.failures == ()
    assert "now : v1, cpu_us" in judgement.text
    assert "1.04 [0.99..1.10]" in judgement.text
