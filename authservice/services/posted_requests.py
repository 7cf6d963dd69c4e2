"""Posted authorization requests: kept for a few minutes, each for the first browser that comes.

The value is the caller's business. It is found by a reference, of which only a digest is stored.
"""

from datetime import datetime

from sqlalchemy import Connection, insert, or_, select, update

from authservice import clock
from authservice.crypto.secret_values import digest, random_token
from authservice.models import posted_request


def put(connection: Connection, value: str, expires_at: datetime) -> str:
    """Store a value and return the reference to it."""
    reference = random_token()
    row = {"id": digest(reference), "value": value, "expires_at": expires_at}
    connection.execute(insert(posted_request).values(row))
    return reference


def claim(connection: Connection, reference: str, browser: str) -> bool:
    """Let a browser have what is stored; False when another one has it, or it has expired.

    The browser that has it may come again, until then.
    """
    column = posted_request.c
    named = digest(browser)
    free = update(posted_request).where(
        column.id == digest(reference),
        column.expires_at > clock.now(),
        or_(column.browser.is_(None), column.browser == named),
    )
    return connection.execute(free.values(browser=named)).rowcount == 1


def find(connection: Connection, reference: str, browser: str) -> str | None:
    """Return what a browser has claimed, even if it has expired since; None when it is gone."""
    column = posted_request.c
    claimed = (column.id == digest(reference)) & (column.browser == digest(browser))
    value: str | None = connection.scalar(select(column.value).where(claimed))
    return value
