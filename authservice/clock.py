"""The one source of time: aware UTC, in whole milliseconds, as the database stores it.

Everything that needs the time calls ``clock.now()`` through the module, so that a test can
set another clock in one place.
"""

from datetime import UTC, datetime


def now() -> datetime:
    """Return the present moment in UTC, cut to milliseconds."""
    moment = datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)
