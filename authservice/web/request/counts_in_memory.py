"""How many requests each sender sent, in memory that is bounded for any number of senders.

There are two tables. A sender that sends a request moves into the recent one. When that is full or
old, it replaces the other, whose senders are forgotten all at once. So a request costs the same
whether ten senders were seen or ten million, and without requests nothing runs.
"""

import threading
import time
from collections.abc import Callable
from math import floor
from typing import NamedTuple

from limits import RateLimitItem

# Two tables of so many senders take about 25 MB. To fill one within the longest window takes a
# thousand new senders a second.
SENDERS = 60_000
# Twice the longest window: by then a count says nothing any more.
_KEPT_FOR = 120.0


class _Count(NamedTuple):
    """The requests of a sender in the window that began at its first one, and in the one before."""

    began: float
    requests: int
    before: int


class CountsInMemory:
    """Counts requests in windows that slide: what the last one overlaps still counts in part."""

    def __init__(self, senders: int = SENDERS, now: Callable[[], float] = time.monotonic) -> None:
        self._senders = senders
        self._now = now
        self._recent: dict[int, _Count] = {}
        self._older: dict[int, _Count] = {}
        self._turned = now()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """Return how many counts are held."""
        return len(self._recent) + len(self._older)

    def check(self) -> bool:
        """Tell that requests are counted: memory is always there."""
        return True

    def hit(self, limit: RateLimitItem, who: tuple[str, ...], cost: int = 1) -> float:
        """Count a request that may pass, as so many, and return 0; else the seconds until it may.

        The cost is at most what the limit allows.
        """
        # Python's own keyed hash: 64 bits take far less room than the texts.
        key = hash(who)
        with self._lock:
            now = self._now()
            count = self._count(key, limit, now)
            wait = _wait(count, limit, now, cost)
            counted = count if wait else _Count(count.began, count.requests + cost, count.before)
            self._keep(key, counted, now)
        return wait

    def wait(self, limit: RateLimitItem, who: tuple[str, ...]) -> float:
        """Return the seconds until a request may pass, 0 when one may; nothing is counted."""
        with self._lock:
            now = self._now()
            return _wait(self._count(hash(who), limit, now), limit, now, 1)

    def _count(self, key: int, limit: RateLimitItem, now: float) -> _Count:
        count = self._recent.get(key) or self._older.get(key)
        window = limit.get_expiry()
        if count is None or now >= count.began + 2 * window:
            return _Count(now, 0, 0)
        if now >= count.began + window:
            return _Count(count.began + window, 0, count.requests)
        return count

    def _keep(self, key: int, count: _Count, now: float) -> None:
        full = len(self._recent) >= self._senders and key not in self._recent
        if full or now >= self._turned + _KEPT_FOR:
            self._older, self._recent = self._recent, {}
            self._turned = now
        self._recent[key] = count


def _wait(count: _Count, limit: RateLimitItem, now: float, cost: int) -> float:
    window = limit.get_expiry()
    passed = now - count.began
    # So many fewer may have been counted.
    most = limit.amount - cost + 1
    room = most - count.requests
    if room > floor(count.before * (1 - passed / window)):
        return 0
    if room <= 0:
        # The next window begins, and this one's requests are forgotten one by one.
        return window - passed + window * max(1 - most / count.requests, 0)
    return max(window * (1 - room / count.before) - passed, 0.001)
