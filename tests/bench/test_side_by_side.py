"""What a proxy asks for every request may cost hardly more than a session check."""

from types import SimpleNamespace

import pytest

from tests.bench.columns import column
from tools.bench.modes import side_by_side
from tools.bench.modes.mode import Bench


def failures(cases, *columns):
    subjects = [SimpleNamespace(column=each) for each in columns]
    return side_by_side.judge(Bench(subjects, SimpleNamespace(cases=cases))).failures


@pytest.mark.parametrize("asked", ["forward", "auth-request"])
def test_forward_authentication_may_take_a_tenth_more_than_a_session_check(asked):
    cases = ("session", asked)
    inside = column("NORMAL", {"session": 100, asked: 110}, {"session": 100, asked: 90})
    above = column(
        "FULL",
        {"session": 100, asked: 90},
        {"session": 100, asked: 112},
        {"session": 200, asked: 224},
    )

    assert failures(cases, inside) == ()
    (failure,) = failures(cases, inside, above)
    assert failure.startswith(f"{asked} takes 1.12 [0.90..1.12] times as much CPU time as session")
    assert "with FULL; the limit is 1.1" in failure


def test_where_one_of_the_two_was_not_measured_nothing_is_judged():
    assert failures(("forward",), column("NORMAL", {"forward": 100})) == ()
    assert failures(("session",), column("NORMAL", {"session": 100})) == ()
