"""Counting requests, in memory or in Redis.

If the storage cannot be reached, requests pass, and the log says so: a broken Redis neither locks
anyone out nor slows the service down. Counts in memory are those of one process; several processes
share Redis.
"""

import logging
import math
from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import NamedTuple

from limits import RateLimitItem
from limits.errors import StorageError
from limits.storage import storage_from_string
from limits.strategies import MovingWindowRateLimiter

from authservice import clock
from authservice.web.request.counts_in_memory import CountsInMemory

_log = logging.getLogger(__name__)

# A storage that hangs must not hold a request for longer than a person notices.
_REDIS_TIMEOUT = {"socket_timeout": 0.25, "socket_connect_timeout": 0.25}
# After a failure one request in a second asks again. If each one did, those that wait for a storage
# that hangs would take every thread.
_SECONDS_BETWEEN_FAILURES = 1.0

# Returns the wait for a sender in seconds, 0 when a request may pass.
_Question = Callable[[RateLimitItem, tuple[str, ...]], float]


class TooManyRequestsError(Exception):
    """A rate limit is exceeded; ``retry_after`` is in seconds."""

    def __init__(self, retry_after: int, limit: str) -> None:
        super().__init__("too many requests")
        self.retry_after = retry_after
        self.limit = limit


class AllowedRequest(NamedTuple):
    """An authenticated client's request that has room in each of these limits."""

    client_id: str
    counts_as: tuple[tuple[RateLimitItem, tuple[str, ...]], ...]


class RateLimits:
    """Counts requests in one storage: ``memory://``, or the address of a Redis."""

    def __init__(self, storage: str) -> None:
        self._counts: CountsInMemory | _CountsInRedis = (
            CountsInMemory() if storage == "memory://" else _CountsInRedis(storage)
        )
        self._let_pass = 0
        # None while the storage answers.
        self._ask_again_at: float | None = None

    def are_counted(self) -> bool:
        """Tell whether the storage answers."""
        return self._counts.check()

    def count(self, limit: RateLimitItem, *who: str, cost: int = 1) -> None:
        """Count a request as ``cost`` of them; raises TooManyRequestsError when that is too many.

        The cost is at most what the limit allows.
        """
        self._answer(partial(self._counts.hit, cost=cost), limit, who)

    def require_room(self, limit: RateLimitItem, *who: str) -> None:
        """Raise TooManyRequestsError where ``count`` would; nothing is counted."""
        self._answer(self._counts.wait, limit, who)

    def _answer(self, ask: _Question, limit: RateLimitItem, who: tuple[str, ...]) -> None:
        if self._pauses():
            self._let_pass += 1
            return
        try:
            wait = ask(limit, who)
        except StorageError as error:
            self._let_pass += 1
            self._ask_again_at = monotonic() + _SECONDS_BETWEEN_FAILURES
            _log.warning(
                "rate limits are off: the storage cannot be reached (%s); %d requests passed",
                error,
                self._let_pass,
            )
            return
        self._ask_again_at = None
        if wait > 0:
            raise TooManyRequestsError(max(math.ceil(wait), 1), who[0])

    def _pauses(self) -> bool:
        """Tell whether the storage failed just now. After a pause one caller tries it again."""
        ask_again_at, now = self._ask_again_at, monotonic()
        if ask_again_at is None:
            return False
        if now < ask_again_at:
            return True
        self._ask_again_at = now + _SECONDS_BETWEEN_FAILURES
        return False


class _CountsInRedis:
    """As ``CountsInMemory``, for several processes; Redis deletes what has expired."""

    def __init__(self, address: str) -> None:
        self._limiter = MovingWindowRateLimiter(
            storage_from_string(address, wrap_exceptions=True, **_REDIS_TIMEOUT)
        )

    def check(self) -> bool:
        return self._limiter.storage.check()

    def hit(self, limit: RateLimitItem, who: tuple[str, ...], cost: int = 1) -> float:
        if self._limiter.hit(limit, *who, cost=cost):
            return 0
        # Redis tells when there is room for one. After a whole window there is room for all.
        return self._until_reset(limit, who) if cost == 1 else limit.get_expiry()

    def wait(self, limit: RateLimitItem, who: tuple[str, ...]) -> float:
        return 0 if self._limiter.test(limit, *who) else self._until_reset(limit, who)

    def _until_reset(self, limit: RateLimitItem, who: tuple[str, ...]) -> float:
        reset = self._limiter.get_window_stats(limit, *who).reset_time
        # Its clock may differ from ours.
        return min(max(reset - clock.now().timestamp(), 1), limit.get_expiry())
