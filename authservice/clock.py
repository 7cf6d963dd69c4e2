"""The one source of time: aware UTC, in whole milliseconds, as the database stores it.

Everything that needs the time calls ``clock.now()`` through the module, so that a test can
set another clock in one place, and local mode the one that its control API turns.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from time import time_ns


def machine() -> datetime:
    """Return the present moment of this machine in UTC, cut to milliseconds."""
    return datetime.fromtimestamp(time_ns() // 1_000_000 / 1000, UTC)


now: Callable[[], datetime] = machine
"""Return the present moment of the service in UTC, in whole milliseconds."""
