"""How often each sender asked, in memory that is bounded however many senders there are.

There are two tables. What is asked for moves into the recent one; when that is full or old, it
takes the place of the other, whose senders are forgotten all at once. So a request costs the same
whether ten senders were seen or ten million, and nothing runs when nobody asks.
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
        """Take how many senders one table holds, and the clock."""
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

    def hit(self, limit: RateLimitItem, who: tuple[str, ...]) -> float:
        """Count a request that may pass, and return 0; else return the seconds until one may."""
        # Python's own keyed hash: 64 bits take far less room than the texts.
        key = hash(who)
        with self._lock:
            now = self._now()
            found = self._count(key, limit, now)
            wait = _wait(found, limit, now)
            counted = found if wait else _Count(found.began, found.requests + 1, found.before)
            self._keep(key, counted, now)
        return wait

    def wait(self, limit: RateLimitItem, who: tuple[str, ...]) -> float:
        """Return the seconds until a request may pass, 0 when one may; nothing is counted."""
        with self._lock:
            now = self._now()
            return _wait(self._count(hash(who), limit, now), limit, now)

    def _count(self, key: int, limit: RateLimitItem, now: float) -> _Count:
        found = self._recent.get(key) or self._older.get(key)
        window = limit.get_expiry()
        if found is None or now >= found.began + 2 * window:
            return _Count(now, 0, 0)
        if now >= found.began + window:
            return _Count(found.began + window, 0, found.requests)
        return found

    def _keep(self, key: int, count: _Count, now: float) -> None:
        full = len(self._recent) >= self._senders and key not in self._recent
        if full or now >= self._turned + _KEPT_FOR:
            self._older, self._recent = self._recent, {}
            self._turned = now
        self._recent[key] = count


def _wait(found: _Count, limit: RateLimitItem, now: float) -> float:
    window = limit.get_expiry()
    passed = now - found.began
    room = limit.amount - found.requests
    if room > floor(found.before * (1 - passed / window)):
        return 0
    if room <= 0:
        # The next window begins, and the first of this one's requests is forgotten.
        return window - passed
    return max(window * (1 - room / found.before) - passed, 0.001)
