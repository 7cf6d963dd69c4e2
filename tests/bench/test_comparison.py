import pytest

from tests.bench.columns import column
from tools.bench.report.comparison import AnotherRunError, ratio


def test_the_ratio_is_the_median_over_pairs_of_rounds():
    # The machine was slower in the second round, for both.
    base = column("base", {"flow": 100}, {"flow": 1000}, {"flow": 100})
    other = column("other", {"flow": 110}, {"flow": 1100}, {"flow": 150})

    found = ratio(base, other, "flow")

    assert (found.median, found.lowest, found.highest) == (1.1, 1.1, 1.5)
    assert str(found) == "1.10 [1.10..1.50]"


def test_a_case_that_was_measured_once_more_has_more_pairs():
    base = column("base", {"flow": 100, "health": 10}, {"flow": 100})
    other = column("other", {"flow": 130, "health": 10}, {"flow": 110})

    assert ratio(base, other, "flow").median == pytest.approx(1.2)
    assert ratio(base, other, "health").median == 1.0


def test_figures_of_different_runs_are_not_compared():
    base = column("base", {"flow": 100}, run_id="monday")
    other = column("other", {"flow": 100}, run_id="tuesday")

    with pytest.raises(AnotherRunError, match=r"different runs \(monday, tuesday\)"):
        ratio(base, other, "flow")
