import pytest

from tools.bench.report.percentiles import percentile


def test_a_percentile_is_the_value_of_its_rank(subtests):
    for percent, expected in (
        (0, 1),
        (1, 1),
        (50, 50),
        (95, 95),
        (99, 99),
        (99.1, 100),
        (100, 100),
    ):
        with subtests.test(percent=percent, expected=expected):
            assert percentile(range(100, 0, -1), percent) == expected


def test_one_value_is_every_percentile():
    assert [percentile([7.0], percent) for percent in (50, 95, 99)] == [7.0, 7.0, 7.0]


def test_nothing_has_no_percentile():
    with pytest.raises(ValueError, match="nothing"):
        percentile([], 50)
