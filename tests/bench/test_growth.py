import pytest

from tests.bench.columns import column
from tools.bench.modes.growth import growing


def columns(cost=100, memory=80):
    return [
        column("1,000 users", {"flow": 100}, memory=60),
        column("100,000 users", {"flow": 115}),
        column("1,000,000 users", {"flow": cost}, memory=memory),
    ]


def test_what_stays_within_the_limits_has_not_grown():
    assert growing(columns(cost=130, memory=88), ["flow"]) == []


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"cost": 131}, "flow takes 1.31 [1.31..1.31] times as much CPU time"),
        ({"memory": 89}, "memory grows with the data: 80 MB with 100,000 users, 89 MB with"),
    ],
)
def test_what_grows_beyond_a_limit_is_named(changes, reason):
    (found,) = growing(columns(**changes), ["flow"])

    assert reason in found
