"""Posted authorization requests: stored for a few minutes, each for the first browser that comes.

The caller decides on the value. A reference identifies it, of which only a digest is stored. Any
stranger may send one, and each is large, so their number is limited, and no sender has more than
a part of the places.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, func, insert, literal, or_, select, update

from authservice import clock
from authservice.crypto.secret_values import digest, random_token
from authservice.models import posted_request

# A page may have one that has expired, for so long.
KEPT_FOR = timedelta(minutes=10)
# All together 90 MB of the longest forms.
MOST = 1000
# Of one sender. One that may send eight times as often has less than half of the places.
MOST_OF_ONE = 60
# New requests replace expired ones, without waiting for the next clean-up.
_AT_A_TIME = 10


def put(
    connection: Connection,
    value: str,
    expires_at: datetime,
    senders: Sequence[tuple[str, int]] = (),
) -> str | None:
    """Store a value and return the reference to it; None when there is no place for it.

    ``senders`` are the network and perhaps the site that it came from, each with how many times
    as much as one sender it may have; without any, only the whole table is limited.
    """
    column = posted_request.c
    over = select(column.id).where(column.expires_at <= clock.now() - KEPT_FOR).limit(_AT_A_TIME)
    connection.execute(
        delete(posted_request).where(column.id.in_(over.with_for_update(skip_locked=True)))
    )
    reference = random_token()
    kept = select(func.count()).select_from(posted_request)
    row = {
        column.id: literal(digest(reference)),
        column.value: literal(value),
        column.expires_at: literal(expires_at, column.expires_at.type),
    }
    room = [kept.scalar_subquery() < MOST]
    for sender, (name, times) in zip((column.network, column.site), senders, strict=False):
        row[sender] = literal(name)
        room.append(kept.where(sender == name).scalar_subquery() < MOST_OF_ONE * times)
    stored = insert(posted_request).from_select([*row], select(*row.values()).where(*room))
    return reference if connection.scalar(stored.returning(column.id)) else None


def claim(connection: Connection, reference: str, browser: str) -> bool:
    """Give a stored request to a browser; False when another one has it, or it has expired.

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
