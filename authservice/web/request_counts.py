"""Counting requests, in memory or in Redis: the counting is the library's.

A storage that cannot be reached lets requests pass, and the log says so: nobody is locked out by
a broken Redis. Counts in memory are those of one process; several processes share Redis.
"""

import logging
import math

from limits import RateLimitItem
from limits.errors import StorageError
from limits.storage import storage_from_string
from limits.strategies import MovingWindowRateLimiter

from authservice import clock

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


class RateLimits:
    """Counts requests in one storage."""

    def __init__(self, storage: str) -> None:
        """Take ``memory://`` or the address of a Redis."""
        options = {} if storage == "memory://" else _REDIS_TIMEOUT
        self._limiter = MovingWindowRateLimiter(
            storage_from_string(storage, wrap_exceptions=True, **options)
        )
        self._let_pass = 0

    def are_counted(self) -> bool:
        """Tell whether the storage answers."""
        return self._limiter.storage.check()

    def count(self, limit: RateLimitItem, *who: str) -> None:
        """Count a request; raises TooManyRequestsError when there were too many."""
        try:
            if self._limiter.hit(limit, *who):
                return
            reset = self._limiter.get_window_stats(limit, *who).reset_time
        except StorageError as error:
            self._let_pass += 1
            _log.warning(
                "rate limits are off: the storage cannot be reached (%s); %d requests passed",
                error,
                self._let_pass,
            )
            return
        waiting = math.ceil(reset - clock.now().timestamp())
        raise TooManyRequestsError(min(max(waiting, 1), limit.get_expiry()), who[0])
