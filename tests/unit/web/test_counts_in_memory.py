"""Counts in memory: how often each may ask, and how little is kept of however many."""

import math

import pytest
from limits import RateLimitItemPerSecond

from authservice.web.request.counts_in_memory import CountsInMemory

TEN = RateLimitItemPerSecond(10, 10)


class Clock:
    def __init__(self):
        self.seconds = 1000.0

    def __call__(self):
        return self.seconds


@pytest.fixture
def seconds():
    return Clock()


@pytest.fixture
def counts(seconds):
    return CountsInMemory(100, seconds)


def _passed(counts, who, times, limit=TEN, cost=1):
    return sum(counts.hit(limit, who, cost) == 0 for _ in range(times))


def test_so_many_pass_and_no_more_until_the_window_is_over(counts, seconds):
    assert _passed(counts, ("x",), 15) == 10

    seconds.seconds += 9.9
    assert _passed(counts, ("x",), 15) == 0


@pytest.mark.parametrize(("cost", "most"), [(1, 10), (4, 20), (10, 20)])
def test_the_wait_that_is_told_is_long_enough_and_not_too_long(counts, seconds, cost, most):
    for pause in (0, 0.1, 3, 9.99, 4, 0.5):
        seconds.seconds += pause
        _passed(counts, ("x",), 15)
        # No two requests come at the very same time.
        seconds.seconds += 0.001
        wait = counts.hit(TEN, ("x",), cost)
        assert 0 < wait <= most

        seconds.seconds += math.ceil(wait)
        assert counts.hit(TEN, ("x",), cost) == 0


def test_one_that_counts_as_several_takes_their_room(counts):
    assert _passed(counts, ("x",), 4, cost=4) == 2
    assert _passed(counts, ("x",), 4) == 2


def test_what_was_asked_before_fades_while_the_window_passes(counts, seconds):
    _passed(counts, ("x",), 10)

    seconds.seconds += 15
    assert _passed(counts, ("x",), 10) == 5
    # Never twice the limit within one window.
    seconds.seconds += 2.5
    assert _passed(counts, ("x",), 10) <= 3


def test_two_windows_later_all_is_forgotten(counts, seconds):
    _passed(counts, ("x",), 10)

    seconds.seconds += 20
    assert _passed(counts, ("x",), 15) == 10


def test_a_wait_that_is_asked_for_counts_nothing(counts):
    assert [counts.wait(TEN, ("x",)) for _ in range(20)] == [0] * 20
    assert _passed(counts, ("x",), 10) == 10
    assert counts.wait(TEN, ("x",)) > 0


def test_each_counts_apart(counts):
    _passed(counts, ("x", "y"), 10)

    assert counts.hit(TEN, ("x", "z")) == 0
    assert counts.hit(TEN, ("xy",)) == 0


@pytest.mark.attack("EXHAUSTION-senders")
def test_a_hundred_thousand_senders_take_no_more_room_than_two_tables(seconds):
    counts = CountsInMemory(100, seconds)
    for number in range(100_000):
        counts.hit(TEN, (str(number),))
        if number % 10_000 == 0:
            assert len(counts) <= 200

    assert len(counts) <= 200


def test_who_asks_on_is_not_forgotten_among_many_others(counts):
    passed = 0
    for number in range(1000):
        counts.hit(TEN, (str(number),))
        passed += number % 50 == 0 and counts.hit(TEN, ("x",)) == 0

    assert passed == 10


def test_those_who_stay_away_are_forgotten(counts, seconds):
    for number in range(90):
        counts.hit(TEN, (str(number),))
    for _ in range(2):
        seconds.seconds += 120
        counts.hit(TEN, ("x",))

    assert len(counts) <= 2
