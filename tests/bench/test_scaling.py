import pytest

from bench.comparison import AnotherRunError, ratio
from bench.scaling import average
from tests.bench.columns import column


def test_several_processes_are_compared_with_the_average_of_their_places():
    one = column("one", {"flow": 100}, {"flow": 200})
    beside = column("beside the load", {"flow": 140}, {"flow": 240})

    base = average(one, beside)

    assert base.values("flow", "cpu_us") == [120, 220]
    assert base.values("flow", "per_second") == one.values("flow", "per_second")
    assert ratio(base, column("two", {"flow": 132}, {"flow": 220}), "flow").highest == 1.1


def test_one_place_is_its_own_average():
    one = column("one", {"flow": 100})

    assert average(one) is one


def test_places_of_different_runs_are_not_averaged():
    with pytest.raises(AnotherRunError):
        average(column("one", {"flow": 100}), column("other", {"flow": 100}, run_id="other"))
