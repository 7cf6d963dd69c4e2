"""Statements that wait for another transaction, as PostgreSQL itself tells it."""

from sqlalchemy import text

_WAITING = text(
    "SELECT count(*) FROM pg_stat_activity"
    " WHERE wait_event_type = 'Lock' AND datname = current_database()"
)


def wait_until_blocked(database, *others):
    """Return once statements of all these wait for a lock, or who does not is done without."""

    def waiting():
        return database.reader.scalar(_WAITING)

    while waiting() + sum(other.done() for other in others) < len(others):
        pass


def wait_for_a_turn(app, database, other):
    """Return once a request of the application waits until another transaction has ended."""
    if not database.is_sqlite:
        wait_until_blocked(database, other)
        return
    # It has the one connection that writes, and waits for the file.
    pool = app.registry.components.database.writer.pool
    while not pool.checkedout() and not other.done():
        pass
