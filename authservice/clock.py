"""The one source of time: aware UTC, in whole milliseconds, as the database stores it.

Everything that needs the time calls ``clock.now()`` through the module, so that a test can
set another clock in one place.
"""

from datetime import UTC, datetime
from time import time_ns


def now() -> datetime:
    """Return the present moment in UTC, cut to milliseconds."""
    return datetime.fromtimestamp(time_ns() // 1_000_000 / 1000, UTC)
