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
from authservice.database.database import Database
from authservice.services.upkeep.expired_rows import ALL_KINDS, BEGINNING, ExpiredRows

_TRANSACTION_SECONDS = 0.007
_PAUSES = 4
_SMALLER, _LARGER = 0.5, 1.5
_FIRST_ROWS, _MOST_ROWS = 100, 1000


class CleanUp:
    """One walk through the tables; any number of processes may walk at the same time."""

    def __init__(self, database: Database, ended: threading.Event) -> None:
        self._database = database
        self._ended = ended
        self._number = _FIRST_ROWS

    def run(self) -> dict[str, int]:
        """Delete expired rows, and return how many of each kind were deleted."""
        now = clock.now()
        return {kind.name: self._remove(kind, now - kind.retention) for kind in ALL_KINDS}

    def _remove(self, kind: ExpiredRows, over: datetime) -> int:
        deleted = 0
        place: Any = BEGINNING
        held: Row[Any] | None = None
        while not self._ended.is_set():
            bounds = {"after": place, "over": over, "number": self._number}
            expired = self._database.reader.execute(kind.find, bounds).all()
            # Rows that another transaction still locks, and all after them, wait for the next walk.
            if not expired or expired[0] == held:
                break
            with self._database.begin() as transaction:
                began = monotonic()
                step = kind.remove(transaction, [row[0] for row in expired], over, self._number)
                self._fit(monotonic() - began)
            self._database.checkpoint()
            deleted += step.deleted
            place = expired[0][1]
            held = None if step.changed else expired[0]
            self._ended.wait(_PAUSES * (monotonic() - began))
        return deleted

    def _fit(self, seconds: float) -> None:
        """Take more rows the next time, or fewer, by how long these took.

        The commit does not count: it waits for the disk however few they are.
        """
        factor = min(max(_TRANSACTION_SECONDS / seconds, _SMALLER), _LARGER)
        self._number = min(max(round(self._number * factor), 1), _MOST_ROWS)
