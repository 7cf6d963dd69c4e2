"""A writing transaction that one can hold: its connection, what happened in it, and how it ends.

A transaction manager commits it, which zope.sqlalchemy joins the connection to. Manager and
connection belong to one transaction at a time, and to no thread.
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
        self,
        connection: Connection,
        joined: "_Joined",
        give_back: Callable[["_Joined"], None],
        *,
        dry_run: bool,
    ) -> None:
        self.connection = connection
        """What its statements run on until it ends."""
        self._joined = joined
        self._give_back = give_back
        self._dry_run = dry_run
        self._noted: list[Event] = []
        self._committed = False
        self.when_ended: Callable[[bool], None] | None = None
        """Called at the end, with whether it was committed."""

    def note(self, event: Event) -> None:
        """Log an event as soon as the transaction is committed and has ended."""
        self._noted.append(event)

    def commit(self) -> None:
        """Return when what was written is committed; then nothing more is written."""
        self._joined.commit()
        self._committed = True

    def end(self) -> None:
        """Roll back what was not committed, and let others have the connection.

        Then the events of a committed transaction are logged.
        """
        try:
            if not self._committed:
                self._joined.roll_back()
        finally:
            self._give_back(self._joined)
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


class Transactions:
    """The writing transactions on one database.

    ``bind`` returns what they are written through: an engine, or a connection that is kept.
    """

    def __init__(self, bind: Callable[[], Engine | Connection]) -> None:
        self._bind = bind
        # To make a manager and what joins it costs as much as a transaction: they are used again.
        self._idle: list[_Joined] = []

    def begin(self, *, dry_run: bool = False) -> Transaction:
        """Begin a transaction; raises what the database raises."""
        try:
            joined = self._idle.pop()
        except IndexError:
            joined = _Joined(self._bind())
        try:
            connection = joined.begin()
        except BaseException:
            self._idle.append(joined)
            raise
        return Transaction(connection, joined, self._idle.append, dry_run=dry_run)

    def close(self) -> None:
        """Close the connections that are kept, while no thread writes."""
        while self._idle:
            self._idle.pop().close()


def get_ready() -> None:
    """Import what the first writing transaction needs, which would wait for it otherwise.

    It takes 0.15 s: zope.sqlalchemy brings SQLAlchemy's object-relational mapping along, and the
    driver for PostgreSQL where there is one. What only reads does without.
    """
    import_module("zope.sqlalchemy")


class _Work:
    """One transaction after another on a connection, with what zope.sqlalchemy asks of a session.

    SQLAlchemy's own session keeps account of mapped objects, of which there are none here. That
    takes a third of the time in which a transaction begins and is committed.
    """

    twophase = False
    expire_on_commit = False

    def __init__(self, bind: Engine | Connection) -> None:
        self._bind = bind
        self._connection: Connection | None = None
        self._transaction: RootTransaction | None = None

    def begin(self) -> Connection:
        """Begin a transaction, and return its connection."""
        bind = self._bind
        connection = bind if isinstance(bind, Connection) else bind.connect()
        try:
            self._transaction = connection.begin()
        except BaseException:
            self._release(connection)
            raise
        self._connection = connection
        return connection

    def get_transaction(self) -> RootTransaction | None:
        """Return what zope.sqlalchemy commits."""
        return self._transaction

    def flush(self) -> None:
        """Do nothing: every statement has been run."""

    def close(self) -> None:
        """Roll back what was not committed, and let the connection go unless it is kept."""
        transaction, self._transaction = self._transaction, None
        connection, self._connection = self._connection, None
        try:
            if transaction is not None:
                # Nothing is left to roll back after a commit.
                transaction.close()
        finally:
            if connection is not None:
                self._release(connection)

    def _release(self, connection: Connection) -> None:
        if connection is not self._bind:
            connection.close()


class _Joined:
    """A connection and the manager of its transactions, each of which has to be begun."""

    def __init__(self, bind: Engine | Connection) -> None:
        # Imported here, as ``get_ready`` says.
        from transaction import TransactionManager  # noqa: PLC0415
        from zope.sqlalchemy import mark_changed  # noqa: PLC0415

        self._bind = bind
        self._work = _Work(bind)
        self._manager = TransactionManager(explicit=True)
        self._join = mark_changed

    def begin(self) -> Connection:
        self._manager.begin()
        try:
            connection = self._work.begin()
            # It would not commit what it does not know to have changed.
            self._join(self._work, self._manager)
        except BaseException:
            self._manager.abort()
            self._work.close()
            raise
        return connection

    def commit(self) -> None:
        self._manager.commit()

    def roll_back(self) -> None:
        try:
            # By itself: the manager would log a failure, with a traceback, before it raises it.
            self._work.close()
        finally:
            self._manager.abort()

    def close(self) -> None:
        if isinstance(self._bind, Connection):
            self._bind.close()
