"""Waiting for PostgreSQL's replies, with a time limit.

If a server's processes have stopped but its machine has not, the network does not report it: the
machine receives everything, and no reply comes back.

Imported only where there is a PostgreSQL: its driver is an extra.
"""

import select
import threading
from time import monotonic
from typing import Any

import psycopg
from psycopg.abc import RV, PQGen

from authservice.database.postgresql.errors import ReticentCursor


class Server:
    """What a process knows of a server: whether it replies."""

    def __init__(self, patience: float) -> None:
        self.patience = patience
        self.silences = 0
        """How many waits have ended without a reply."""
        self._is_reached = True
        self._trying = threading.Lock()

    def connect(self, *arguments: Any, **options: Any) -> "Connection":  # noqa: ANN401  (as the driver takes them)
        """Return a connection; raises psycopg.OperationalError.

        Once it was not reached, one thread at a time tries. The others fail at once: they have
        requests to answer that need no database.
        """
        if self._is_reached:
            return self._connect(*arguments, **options)
        if not self._trying.acquire(blocking=False):
            raise psycopg.OperationalError("the server was not reached; another thread tries again")
        try:
            return self._connect(*arguments, **options)
        finally:
            self._trying.release()

    def _connect(self, *arguments: Any, **options: Any) -> "Connection":  # noqa: ANN401  (as above)
        silences = self.silences
        try:
            connection = Connection.connect(*arguments, **options, cursor_factory=ReticentCursor)
        except psycopg.Error:
            self._is_reached = False
            raise
        connection.belongs_to(self, silences)
        self._is_reached = True
        return connection

    def was_silent(self, since: int) -> None:
        """Give up the connections made before; ``since`` is what ``silences`` was then."""
        # Of those who wait in vain at the same time one is enough.
        if since == self.silences:
            self.silences += 1
            self._is_reached = False


class Connection(psycopg.Connection[Any]):
    """A connection that is closed when the server does not reply."""

    def belongs_to(self, server: Server, silences: int) -> None:
        """Remember the server, and how often it had been silent before."""
        self._server = server
        self._silences = silences
        self._only_cursor = self.cursor()

    def execute(self, *arguments: Any, **options: Any) -> psycopg.Cursor[Any]:  # noqa: ANN401  (as its base)
        """Return the cursor that ran a statement, with its answer until the next statement.

        It is always the same: to make one takes a quarter of the time that the driver needs.
        """
        return self._only_cursor.execute(*arguments, **options)

    def is_ended(self) -> bool:
        """Tell whether it is of no use any more, without asking the server.

        The server says nothing unasked on an idle connection, so whatever is there to be read is
        its farewell.
        """
        if self.closed or self._silences != self._server.silences:
            return True
        poll = select.poll()
        poll.register(self.fileno(), select.POLLIN)
        return bool(poll.poll(0))

    def wait(self, gen: PQGen[RV], *arguments: Any, **options: Any) -> RV:  # noqa: ANN401  (as its base)
        """Return the reply; raises psycopg.OperationalError when none comes in time."""
        return super().wait(self._in_time(gen), *arguments, **options)

    def _in_time(self, gen: PQGen[RV]) -> PQGen[RV]:
        """Pass on what the driver waits for, several times a second, until it comes."""
        since = monotonic()
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                if ready:
                    since = monotonic()
                elif monotonic() - since > self._server.patience:
                    self._server.was_silent(self._silences)
                    self.close()
                    raise psycopg.OperationalError(
                        f"the server did not reply within {self._server.patience:g} seconds"
                    )
                wanted = gen.send(ready)
        except StopIteration as end:
            reply: RV = end.value
            return reply
