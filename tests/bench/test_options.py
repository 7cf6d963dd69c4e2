import pytest

from tools.bench.cases import CASES
from tools.bench.options import parse


def test_everything_is_measured_on_sqlite_flushed_both_ways():
    options = parse([])

    assert options.cases == tuple(CASES)
    assert options.synchronous == ("NORMAL", "FULL")


@pytest.mark.parametrize("mode", [["--growth"], ["--against", "HEAD"], ["--processes", "2"]])
def test_what_compares_two_things_flushes_one_way(mode):
    assert parse(mode).synchronous == ("NORMAL",)
    assert parse([*mode, "--synchronous", "FULL"]).synchronous == ("FULL",)


def test_what_cannot_be_measured_is_refused(subtests, capsys):
    for arguments, reason in (
        (["--only", "health,nothing"], "must be of health, discovery"),
        (["--seconds", "0"], "must be more than 0 seconds: '0'"),
        (["--seconds", "soon"], "must be more than 0 seconds: 'soon'"),
        (["--rounds", "0"], "must be a whole number from 1: '0'"),
        (["--processes", "-1"], "must be a whole number from 1"),
        (["--users", "many"], "must be a whole number from 1: 'many'"),
        (["--growth", "--against", "HEAD"], "not allowed with"),
        (["--growth", "--users", "5"], "--growth has its own numbers of users"),
        (["--against", "HEAD", "--users", "5"], "--users does not go with --against"),
        (["--database", "postgresql", "--synchronous", "FULL"], "--synchronous is about SQLite"),
    ):
        with subtests.test(arguments=arguments, reason=reason):
            with pytest.raises(SystemExit) as refused:
                parse(arguments)

            assert refused.value.code == 2
            assert reason in capsys.readouterr().err
