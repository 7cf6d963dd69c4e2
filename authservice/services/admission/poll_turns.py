"""Whose turn it is to read the provider's lists of members: one process at a time.

A process that dies meanwhile loses its turn when its lease is over.
"""

from datetime import datetime, timedelta

from sqlalchemy import Connection, or_, select, update

from authservice import clock
from authservice.database.database import Database
from authservice.models import admission_state

INTERVAL = timedelta(minutes=10)
LEASE = timedelta(minutes=2)
_state = admission_state.c


class PollTurn:
    """The turn of this process, which it has until ``end``."""

    def __init__(self, database: Database, until: datetime) -> None:
        self._database = database
        self._until = until

    def go_on(self) -> bool:
        """Ask for more time where little is left; False when another process has its turn."""
        now = clock.now()
        if self._until - now > LEASE / 2:
            return True
        until = now + LEASE
        if not self._change(poll_until=until):
            return False
        self._until = until
        return True

    def end(self, again_in: timedelta | None = None) -> None:
        """Let another process have the next turn, earlier or later than usual if that is said."""
        values: dict[str, datetime | None] = {"poll_until": None}
        if again_in is not None:
            values["poll_at"] = clock.now() + again_in
        self._change(**values)

    def _change(self, **values: datetime | None) -> bool:
        mine = update(admission_state).where(_state.poll_until == self._until)
        with self._database.transaction() as connection:
            return connection.execute(mine.values(values)).rowcount == 1


def take(database: Database) -> PollTurn | None:
    """Return the turn if it is time, and no other process has it."""
    now = clock.now()
    is_due = or_(_state.poll_at.is_(None), _state.poll_at <= now)
    is_free = or_(_state.poll_until.is_(None), _state.poll_until <= now)
    if database.reader.scalar(select(_state.id).where(is_due, is_free)) is None:
        return None
    until = now + LEASE
    taking = update(admission_state).where(is_due, is_free)
    with database.transaction() as connection:
        taken = connection.execute(taking.values(poll_at=now + INTERVAL, poll_until=until))
        return PollTurn(database, until) if taken.rowcount else None


def ask_for_one(connection: Connection) -> None:
    """Let the lists be read as soon as possible, once more if they are being read just now."""
    connection.execute(update(admission_state).values(poll_at=None))
