"""How far this machine's clock is from another's, by the Date header of an answer."""

from datetime import timedelta
from email.utils import parsedate_to_datetime

from authservice import clock
from authservice.httpclient import Response

# Codes live for a minute and ID tokens are compared to the second by their clients.
TOO_FAR = timedelta(seconds=60)
FAR = timedelta(seconds=10)


def difference(response: Response) -> timedelta | None:
    """Return how far this clock is ahead, to about a second; None where no valid date was sent.

    The answer must have come just now (RFC 9110, section 6.6.1).
    """
    try:
        sent = parsedate_to_datetime(response.headers["Date"][0])
        return clock.now() - sent
    except (KeyError, ValueError, TypeError):
        return None


def in_words(ahead: timedelta) -> str:
    """Return the difference as people say it."""
    seconds = ahead.total_seconds()
    return f"{abs(seconds):.0f} s {'ahead of' if seconds > 0 else 'behind'} the other's"
