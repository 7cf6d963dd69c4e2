"""The clean-up: expired rows are deleted in small transactions, which let requests go first.

What to delete is read without a lock. Each transaction then deletes for about seven milliseconds,
however fast the machine is, moves the changed pages to their place itself, and pauses for four
times as long as all of this took: a request that finds the write lock taken gets it soon, and
the disk has time for others.
"""

import threading
from datetime import datetime
from time import monotonic
from typing import Any

from sqlalchemy import Row

from authservice import clock
from authservice.db import Database
from authservice.services.expired_rows import ALL_KINDS, ExpiredRows

_TRANSACTION_SECONDS = 0.007
_PAUSES = 4
_SMALLER, _LARGER = 0.5, 1.5
_FIRST_ROWS, _MOST_ROWS = 100, 1000


class CleanUp:
    """One walk through the tables; any number of processes may be at it together."""

    def __init__(self, database: Database, ended: threading.Event) -> None:
        """Take the database, and what says that the walk should end before all is done."""
        self._database = database
        self._ended = ended
        self._number = _FIRST_ROWS

    def run(self) -> dict[str, int]:
        """Delete what is over, and return how many of each kind were deleted."""
        now = clock.now()
        return {kind.name: self._remove(kind, now - kind.kept_for) for kind in ALL_KINDS}

    def _remove(self, kind: ExpiredRows, over: datetime) -> int:
        deleted = 0
        place = kind.first_place
        held: Row[Any] | None = None
        while not self._ended.is_set():
            bounds = {"after": place, "over": over, "number": self._number}
            found = self._database.reader.execute(kind.find, bounds).all()
            # What another transaction goes on holding, and all behind it, waits for the next walk.
            if not found or found[0] == held:
                break
            with self._database.transaction() as connection:
                began = monotonic()
                step = kind.remove(connection, [row[0] for row in found], over, self._number)
                self._fit(monotonic() - began)
            self._database.checkpoint()
            deleted += step.deleted
            place = found[0][1]
            held = None if step.changed else found[0]
            self._ended.wait(_PAUSES * (monotonic() - began))
        return deleted

    def _fit(self, seconds: float) -> None:
        """Take more rows the next time, or fewer, by how long these took.

        The commit does not count: it waits for the disk however few they are.
        """
        factor = min(max(_TRANSACTION_SECONDS / seconds, _SMALLER), _LARGER)
        self._number = min(max(round(self._number * factor), 1), _MOST_ROWS)
