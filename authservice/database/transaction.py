"""A writing transaction that one can hold: its connection, what happened in it, and how it ends.

A transaction manager commits it, which zope.sqlalchemy joins a session to. Both belong to one
transaction at a time, and to no thread.
"""

from collections.abc import Callable
from importlib import import_module
from types import TracebackType
from typing import Self

from sqlalchemy import Connection, Engine, RootTransaction

from authservice import events
from authservice.events import Event


class Transaction:
    """A transaction that has begun: committed once, or rolled back by its end.

    As a context manager it is committed at the end of the block, rolled back by an exception, and
    rolled back anyway in a dry run.
    """

    def __init__(
        self, session: "Session", give_back: Callable[["Session"], None], *, dry_run: bool
    ) -> None:
        """Begin it in a session that has none; raises what the database raises."""
        self._session = session
        self._give_back = give_back
        self._dry_run = dry_run
        self._noted: list[Event] = []
        self._committed = False
        self.when_ended: Callable[[bool], None] | None = None
        """Called at the end, with whether it was committed."""
        try:
            self.connection = session.begin()
            """What its statements run on until it is committed or ends."""
        except BaseException:
            give_back(session)
            raise

    def note(self, event: Event) -> None:
        """Log an event as soon as the transaction is committed and has ended."""
        self._noted.append(event)

    def commit(self) -> None:
        """Return when what was written is committed; then nothing more is written."""
        self._session.manager.commit()
        self._committed = True

    def end(self) -> None:
        """Roll back what was not committed, and let others have the connection.

        Then the events of a committed transaction are logged.
        """
        try:
            if not self._committed:
                self._session.roll_back()
        finally:
            self._give_back(self._session)
            if self.when_ended is not None:
                self.when_ended(self._committed)
        if self._committed:
            events.log(*self._noted)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            if kind is None and not self._dry_run:
                self.commit()
        finally:
            self.end()


def get_ready() -> None:
    """Import what the first writing transaction needs, which would wait for it otherwise.

    It takes 0.15 s: zope.sqlalchemy brings SQLAlchemy's object-relational mapping along, and the
    driver for PostgreSQL where there is one. What only reads does without.
    """
    import_module("zope.sqlalchemy")


class Session:
    """What zope.sqlalchemy takes for a session of SQLAlchemy: one transaction after another.

    It joins a session to a transaction manager. When that commits, it calls ``flush``, then
    ``commit`` of what ``get_transaction`` returns, then ``close``; ``twophase`` and
    ``expire_on_commit`` tell it that nothing more is needed. SQLAlchemy's own session keeps account
    of mapped objects, of which there are none here. That takes a third of the time in which a
    transaction begins and is committed.

    ``note_commit`` is called after each commit, and raises where it counts for nothing.
    """

    twophase = False
    expire_on_commit = False

    def __init__(self, engine: Engine, note_commit: Callable[[], None]) -> None:
        # Imported here, as ``get_ready`` says.
        from transaction import TransactionManager  # noqa: PLC0415
        from zope.sqlalchemy import mark_changed  # noqa: PLC0415

        self.manager = TransactionManager(explicit=True)
        """Commits what was begun."""
        self._join = mark_changed
        self._engine = engine
        self._note_commit = note_commit
        self._connection: Connection | None = None
        self._transaction: RootTransaction | None = None

    def begin(self) -> Connection:
        """Begin a transaction, and return its connection."""
        self.manager.begin()
        try:
            self._connection = self._engine.connect()
            self._transaction = self._connection.begin()
            # It would not commit what it does not know to have changed.
            self._join(self, self.manager)
        except BaseException:
            self.roll_back()
            raise
        return self._connection

    def roll_back(self) -> None:
        """Undo what was begun."""
        try:
            # By itself: the manager would log a failure, with a traceback, before it raises it.
            self.close()
        finally:
            self.manager.abort()

    def get_transaction(self) -> Self:
        """Return what zope.sqlalchemy commits."""
        return self

    def commit(self) -> None:
        """Commit, and return when it counts."""
        if self._transaction is not None:
            self._transaction.commit()
        self._note_commit()

    def flush(self) -> None:
        """Do nothing: every statement has been run."""

    def close(self) -> None:
        """Roll back what was not committed, and let the connection go."""
        transaction, self._transaction = self._transaction, None
        connection, self._connection = self._connection, None
        try:
            if transaction is not None:
                # Nothing is left to roll back after a commit.
                transaction.close()
        finally:
            if connection is not None:
                connection.close()
