"""A transaction that several threads write in, one after another, and that is committed once."""

import sqlite3
import threading
from time import monotonic
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import OperationalError

from authservice.database.prepared import run
from authservice.database.sqlite.engines import begin_immediate

# How long others may join: the first one waits for the last, and other processes for all of them.
_OPEN_SECONDS = 0.01


class SharedTransaction:
    """What its members keep is committed or lost together; each may give up its own part."""

    def __init__(self, connection: Connection) -> None:
        """Begin, with the part of the first member; raises as ``begin_immediate``."""
        begin_immediate(connection)
        self._connection = connection
        self.driver: Any = connection.connection.dbapi_connection
        """The driver's connection, on which the member whose part it is runs statements."""
        self._began = monotonic()
        self._parts = 0
        self._failed = False
        self._ended = threading.Event()

    @property
    def is_empty(self) -> bool:
        """Whether no part is kept yet."""
        return not self._parts

    @property
    def is_lost(self) -> bool:
        """Whether SQLite has rolled all of it back, as it may when the disk is full."""
        connection = self._connection
        return connection.invalidated or not connection.connection.in_transaction

    @property
    def is_open(self) -> bool:
        """Whether another member may begin its part."""
        return monotonic() - self._began < _OPEN_SECONDS

    def begin_part(self) -> None:
        """Begin the part of another member than the first."""
        run(self._connection, "SAVEPOINT part")

    def keep_part(self) -> None:
        """Keep what was written since the part began.

        Raises OperationalError where the transaction is lost: the driver would pass over it, and
        a savepoint begin another one.
        """
        if self.is_lost:
            raise _failure("SQLite has rolled the transaction back")
        if self._parts:
            run(self._connection, "RELEASE part")
        self._parts += 1

    def give_up_part(self) -> None:
        """Undo what was written since the part began, and nothing of the parts before it."""
        run(self._connection, "ROLLBACK TO part")
        run(self._connection, "RELEASE part")

    def lose(self) -> None:
        """Close the connection, so that nothing of it is kept."""
        self._connection.invalidate()

    def commit(self) -> None:
        """Commit every part that is kept; raises as ``Connection.commit``."""
        run(self._connection, "COMMIT")

    def end(self, *, failed: bool) -> None:
        """Let the members go, and roll back what was not committed."""
        self._failed = failed
        try:
            if failed and not self.is_lost:
                run(self._connection, "ROLLBACK")
        finally:
            self._ended.set()

    def wait(self) -> None:
        """Return when it is committed; raises OperationalError when it was not."""
        self._ended.wait()
        if self._failed:
            raise _failure("the transaction that it shared with others failed")


def _failure(text: str) -> OperationalError:
    return OperationalError("COMMIT", None, sqlite3.OperationalError(text), hide_parameters=True)
