"""What a request keeps: found without letting other requests wait."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from authservice.web.request.auth_request import cached


class Keeper:
    def __init__(self, found):
        self.found = found

    @cached
    def value(self):
        """Return what is found."""
        return self.found()


def test_nobody_waits_for_another():
    together = Barrier(2, timeout=60)
    with ThreadPoolExecutor(2) as threads:
        both = [threads.submit(lambda: Keeper(together.wait).value) for _ in range(2)]

    assert sorted(each.result() for each in both) == [0, 1]
