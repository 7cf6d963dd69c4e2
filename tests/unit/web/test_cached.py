"""What a request keeps: found once, and without letting other requests wait."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from authservice.web.cached import cached


class Keeper:
    def __init__(self, found):
        self.found = found

    @cached
    def value(self):
        """Return what is found."""
        return self.found()


def test_it_is_found_once_for_each():
    values = iter(range(10))
    first, second = Keeper(lambda: next(values)), Keeper(lambda: next(values))

    assert [first.value, first.value, second.value, first.value] == [0, 0, 1, 0]


def test_what_fails_is_looked_for_again():
    values = iter([0, 1])
    keeper = Keeper(lambda: 1 // next(values))

    with pytest.raises(ZeroDivisionError):
        assert keeper.value
    assert keeper.value == 1


def test_nobody_waits_for_another():
    together = Barrier(2, timeout=60)
    with ThreadPoolExecutor(2) as threads:
        both = [threads.submit(lambda: Keeper(together.wait).value) for _ in range(2)]

    assert sorted(each.result() for each in both) == [0, 1]
