"""Counting requests, in memory or in Redis.

A storage that cannot be reached lets requests pass, and the log says so: nobody is locked out by
a broken Redis. Counts in memory are those of one process; several processes share Redis.
"""

import logging
import math
from typing import NamedTuple, Protocol

from limits import RateLimitItem
from limits.errors import StorageError
from limits.storage import storage_from_string
from limits.strategies import MovingWindowRateLimiter

from authservice import clock
from authservice.web.counts_in_memory import CountsInMemory

_log = logging.getLogger(__name__)

# A storage that hangs must not hold a request for longer than a person notices.
_REDIS_TIMEOUT = {"socket_timeout": 0.25, "socket_connect_timeout": 0.25}


class TooManyRequestsError(Exception):
    """Somebody asked too often; ``retry_after`` is in seconds."""

    def __init__(self, retry_after: int, limit: str) -> None:
        """Take the seconds until the next request may pass, and which limit it was."""
        super().__init__("too many requests")
        self.retry_after = retry_after
        self.limit = limit


class AdmittedRequest(NamedTuple):
    """An authenticated client's request that has room in each of these limits."""

    client_id: str
    counts_as: tuple[tuple[RateLimitItem, tuple[str, ...]], ...]


class Counts(Protocol):
    """How often somebody asked; a wait is in seconds, 0 when a request may pass."""

    def check(self) -> bool:
        """Tell whether requests can be counted."""

    def hit(self, limit: RateLimitItem, who: tuple[str, ...]) -> float:
        """Count a request that may pass, and return 0; else return the wait."""

    def wait(self, limit: RateLimitItem, who: tuple[str, ...]) -> float:
        """Return the wait, without counting anything."""


class RateLimits:
    """Counts requests in one storage."""

    def __init__(self, storage: str) -> None:
        """Take ``memory://`` or the address of a Redis."""
        self._counts: Counts = (
            CountsInMemory() if storage == "memory://" else _CountsInRedis(storage)
        )
        self._let_pass = 0

    def are_counted(self) -> bool:
        """Tell whether the storage answers."""
        return self._counts.check()

    def count(self, limit: RateLimitItem, *who: str) -> None:
        """Count a request; raises TooManyRequestsError when there were too many."""
        self._answer(self._counts.hit, limit, who)

    def require_room(self, limit: RateLimitItem, *who: str) -> None:
        """Raise TooManyRequestsError where ``count`` would; nothing is counted."""
        self._answer(self._counts.wait, limit, who)

    def _answer(self, ask: "_Question", limit: RateLimitItem, who: tuple[str, ...]) -> None:
        try:
            wait = ask(limit, who)
        except StorageError as error:
            self._let_pass += 1
            _log.warning(
                "rate limits are off: the storage cannot be reached (%s); %d requests passed",
                error,
                self._let_pass,
            )
            return
        if wait > 0:
            seconds = min(max(math.ceil(wait), 1), limit.get_expiry())
            raise TooManyRequestsError(seconds, who[0])


class _Question(Protocol):
    def __call__(self, limit: RateLimitItem, who: tuple[str, ...]) -> float: ...


class _CountsInRedis:
    """Counts that several processes share; Redis forgets them when their time is over."""

    def __init__(self, address: str) -> None:
        self._limiter = MovingWindowRateLimiter(
            storage_from_string(address, wrap_exceptions=True, **_REDIS_TIMEOUT)
        )

    def check(self) -> bool:
        return self._limiter.storage.check()

    def hit(self, limit: RateLimitItem, who: tuple[str, ...]) -> float:
        return 0 if self._limiter.hit(limit, *who) else self._until_reset(limit, who)

    def wait(self, limit: RateLimitItem, who: tuple[str, ...]) -> float:
        return 0 if self._limiter.test(limit, *who) else self._until_reset(limit, who)

    def _until_reset(self, limit: RateLimitItem, who: tuple[str, ...]) -> float:
        reset = self._limiter.get_window_stats(limit, *who).reset_time
        return max(reset - clock.now().timestamp(), 1)
