"""The clock of local mode, which tests turn: frozen, moved on, or the machine's again.

Its state is a row of the database. It says how far the clock is ahead of the machine's, or where it
stands still.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection

from authservice import clock
from authservice.database.database import Database, advisory_lock
from authservice.local_mode import saved_keys, stored_values

EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
LATEST = datetime(3000, 1, 1, tzinfo=UTC)
"""From any moment between these, each lifetime of the settings leads to one that can be stored."""

_NAME = "clock"
_TURNING = 0x636C6F63
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


class OutOfRangeError(Exception):
    """The clock would stand before ``EARLIEST`` or after ``LATEST``."""


@dataclass(frozen=True, slots=True)
class Turn:
    """How far the clock is ahead of the machine's; or where it stands, if it is frozen."""

    ahead: timedelta = timedelta()
    frozen_at: datetime | None = None

    def now(self) -> datetime:
        """Return the present moment."""
        return clock.machine() + self.ahead if self.frozen_at is None else self.frozen_at

    def advanced(self, duration: timedelta) -> "Turn":
        """Return the clock moved on; one that is frozen stays so. Raises OutOfRangeError."""
        if self.frozen_at is None:
            return _in_range(Turn(ahead=self.ahead + duration))
        return _in_range(Turn(frozen_at=self.frozen_at + duration))


MACHINE = Turn()


def frozen(moment: datetime) -> Turn:
    """Return the clock that stands at a moment; raises OutOfRangeError."""
    # As the database stores it.
    return _in_range(Turn(frozen_at=_EPOCH + (moment - _EPOCH) // _MILLISECOND * _MILLISECOND))


def _in_range(turned: Turn) -> Turn:
    if not EARLIEST <= turned.now() <= LATEST:
        raise OutOfRangeError
    return turned


def stored(connection: Connection) -> Turn:
    """Return how the clock is turned."""
    value = stored_values.read(connection, _NAME)
    if value is None:
        return MACHINE
    if value["frozen_at"] is None:
        return Turn(ahead=value["ahead"] * _MILLISECOND)
    return Turn(frozen_at=_EPOCH + value["frozen_at"] * _MILLISECOND)


def store(connection: Connection, turned: Turn) -> None:
    """Store how the clock is turned."""
    if turned == MACHINE:
        stored_values.forget(connection, _NAME)
        return
    stands = None if turned.frozen_at is None else (turned.frozen_at - _EPOCH) // _MILLISECOND
    value = {"ahead": turned.ahead // _MILLISECOND, "frozen_at": stands}
    stored_values.write(connection, _NAME, value)


def turn(database: Database, change: Callable[[Turn], Turn]) -> Turn:
    """Turn the clock from how it is to how it shall be, and return that; raises as ``change``.

    Of several that turn it at the same time, each begins where another has ended.
    """
    with database.transaction() as connection:
        advisory_lock(connection, _TURNING)
        saved_keys.save(connection)
        turned = change(stored(connection))
        store(connection, turned)
    return turned
