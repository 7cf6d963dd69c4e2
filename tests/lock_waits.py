"""Statements that wait for another transaction, as PostgreSQL itself tells it."""

from sqlalchemy import text

_WAITING = text(
    "SELECT count(*) FROM pg_stat_activity"
    " WHERE wait_event_type = 'Lock' AND datname = current_database()"
)


def wait_until_blocked(database, other):
    """Return once a statement on this database waits for a lock, or all is done without."""
    while not database.reader.scalar(_WAITING) and not other.done():
        pass
