"""The mark of a database that local mode has served: one row, for good.

A program with the control token could be every person in that database. Production must never
serve it, even if no person of local mode is in it any more.
"""

from datetime import UTC, datetime

from sqlalchemy import Connection

from authservice import clock
from authservice.database.database import Database, insert_or_ignore
from authservice.models import verification
from authservice.services.tokens import verifications

FOREVER = datetime(9999, 12, 31, tzinfo=UTC)
"""When rows expire that no clean-up may delete."""

MARK = "local-mode"
"""The identifier of the row."""


def is_there(connection: Connection) -> bool:
    """Tell whether local mode has served the database."""
    return verifications.peek(connection, MARK) is not None


def put(database: Database) -> None:
    """Mark the database, unless it is marked."""
    if not is_there(database.reader):
        with database.transaction() as connection:
            keep(connection, MARK, "served by local mode")


def keep(connection: Connection, row_id: str, value: str, identifier: str | None = None) -> bool:
    """Store a value for good; False when the row is there, which then stays as it is.

    Its id is its identifier too, unless several rows share one.

    It is spent from the beginning: so no one can use it as a code, and signing everyone out, which
    deletes what could still be used, leaves it.
    """
    now = clock.now()
    row = {
        "id": row_id,
        "identifier": identifier or row_id,
        "value": value,
        "expires_at": FOREVER,
        "created_at": now,
        "updated_at": now,
    }
    return insert_or_ignore(connection, verification, row)
