"""The database: one engine that only reads and one that writes, on the same file or server.

On SQLite a transaction that reads first and writes later fails at once when another has written
meanwhile, whatever the busy timeout. So a writing transaction takes the write lock as it begins
(BEGIN IMMEDIATE), and the reader cannot write at all. The reader works in autocommit: each
statement sees the newest state, and no open snapshot keeps the write-ahead log from being cut.

On PostgreSQL writing transactions run side by side, and each of their statements sees what is
committed when it begins: whoever counts on more says so with a lock or a condition.
"""

import math
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from time import perf_counter
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Engine,
    ExceptionContext,
    Table,
    create_engine,
    event,
    func,
    make_url,
)
from sqlalchemy.dialects import postgresql as postgresql_dialect
from sqlalchemy.dialects import sqlite as sqlite_dialect
from sqlalchemy.exc import TimeoutError  # noqa: A004  (what a full pool raises, too)
from sqlalchemy.pool import NullPool

from authservice import events, postgresql
from authservice.prepared import Prepared, begin_immediate, is_read_only
from authservice.sqlite.checkpoints import Checkpoints
from authservice.sqlite.write_ahead_log import WriteAheadLog

# How long a statement waits for another process's write lock before the request gets 503.
_BUSY_TIMEOUT_MS = 5000
# A commit moves pages from SQLite's log into the file only where the checkpoints are that late.
_PAGES_AT_MOST = 4000


class Database:
    """A reader and a writer on one database. Connects when first used."""

    def __init__(self, url: str, *, synchronous: str = "FULL", patience: float = math.inf) -> None:
        """Take an SQLAlchemy URL.

        For SQLite, take how hard a commit is flushed to disk; for a server, how many seconds
        anybody waits for its reply.
        """
        self._synchronous = synchronous
        self.url = make_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self._reader, self.writer = (
            (self._engine(read_only=True), self._engine(read_only=False))
            if self.is_sqlite
            else postgresql.engines(self.url, patience)
        )
        self._writer: Connection | None = None
        self._checkpoints: Checkpoints | None = None
        if self.is_sqlite:
            self._checkpoints = Checkpoints(WriteAheadLog(str(self.url.database)))
        self.observe_wait: Callable[[float], None] | None = None
        """Called with the seconds that each writing transaction waited for its turn."""
        self._turn = threading.Lock()
        self._here = threading.local()
        self._readers: weakref.WeakSet[Connection] = weakref.WeakSet()

    @property
    def reader(self) -> Connection:
        """Return this thread's connection for reading; a write through it fails."""
        connection: Connection | None = getattr(self._here, "reader", None)
        if connection is not None and self._is_ended(connection):
            connection.close()
            connection = None
        if connection is None:
            connection = self._reader.connect()
            self._here.reader = connection
            self._readers.add(connection)
        return connection

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Give a writing transaction: committed at the end, rolled back by an exception."""
        connection = self.begin()
        happened: list[events.Event] = []
        try:
            yield connection
            connection.commit()
            happened = events.taken(connection)
        finally:
            self.end(connection)
        events.log(*happened)

    def begin(self) -> Connection:
        """Return a connection in a writing transaction, to be committed and then ended.

        Raises sqlalchemy.exc.TimeoutError when another thread writes for too long.
        """
        if self.observe_wait is None:
            return self._begin()
        began = perf_counter()
        try:
            return self._begin()
        finally:
            self.observe_wait(perf_counter() - began)

    def _begin(self) -> Connection:
        if self.is_sqlite:
            return self._begin_in_turn()
        connection = self.writer.connect()
        try:
            connection.begin()
        except BaseException:
            connection.close()
            raise
        return connection

    def end(self, connection: Connection) -> None:
        """Roll back what was not committed, and let others have the connection."""
        events.taken(connection)
        if self._checkpoints is None:
            connection.close()
            return
        try:
            connection.rollback()
        finally:
            self._turn.release()
        self._checkpoints.note_transaction()

    def checkpoint(self) -> None:
        """Move what was committed from SQLite's log into its file; there is nothing on a server."""
        if self._checkpoints is not None:
            self._checkpoints.make()

    def _begin_in_turn(self) -> Connection:
        """Return the one connection of this process that writes to SQLite, in a transaction.

        Only one can write at a time anyway. To wait here costs nothing, to wait for the file's
        lock is polling; and the page cache of a connection holds as long as no other one writes.
        """
        if not self._turn.acquire(timeout=_BUSY_TIMEOUT_MS / 1000):
            raise TimeoutError("another thread writes for too long")
        try:
            if self._writer is None or self._writer.closed:
                self._writer = self.writer.connect()
            self._writer.begin()
        except BaseException:
            self._turn.release()
            raise
        return self._writer

    def dispose(self) -> None:
        """Close every connection, also those that other threads hold for reading."""
        if self._checkpoints is not None:
            self._checkpoints.stop()
        for connection in list(self._readers):
            connection.close()
        if self._writer is not None:
            self._writer.close()
        self._reader.dispose()
        self.writer.dispose()

    def _is_ended(self, connection: Connection) -> bool:
        if connection.closed or connection.invalidated:
            return True
        if self.is_sqlite:
            return False
        driver: Any = connection.connection.dbapi_connection
        return bool(driver.is_ended())

    def _engine(self, *, read_only: bool) -> Engine:
        engine = create_engine(
            self.url,
            # An error's text goes to the log; what was asked for does not belong there.
            hide_parameters=True,
            # Each thread holds the connection that it reads with, all share the one that writes.
            poolclass=NullPool,
            connect_args={"check_same_thread": False, "timeout": _BUSY_TIMEOUT_MS / 1000},
        )

        @event.listens_for(engine, "connect")
        def on_connect(connection: Any, _record: object) -> None:  # noqa: ANN401  (a DBAPI connection)
            # The driver would begin transactions by its own rules; ours begin below.
            connection.isolation_level = None
            connection.execute(f"PRAGMA busy_timeout = {_BUSY_TIMEOUT_MS}")
            connection.execute("PRAGMA foreign_keys = ON")
            if read_only:
                connection.execute("PRAGMA query_only = ON")
            else:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute(f"PRAGMA synchronous = {self._synchronous}")
                # Debian's SQLite overwrites what is deleted by itself; others have to be told.
                connection.execute("PRAGMA secure_delete = ON")
                connection.execute(f"PRAGMA wal_autocheckpoint = {_PAGES_AT_MOST}")

        if not read_only:

            @event.listens_for(engine, "begin")
            def on_begin(connection: Connection) -> None:
                begin_immediate(connection)

            @event.listens_for(engine, "handle_error")
            def on_error(context: ExceptionContext) -> None:
                # Opened anew, it can write as soon as the file allows it.
                if is_read_only(context.original_exception):
                    context.is_disconnect = True

        return engine


def past_index(column: Column[str]) -> ColumnElement[str]:
    """Return a column for a condition that is checked on rows found by another one.

    Of two indexes SQLite takes the one that was made first. A client has many rows and a person
    few, so what is asked for one of each is to be found by the person.
    """
    return func.coalesce(column, "")


def runs_alone(connection: Connection) -> bool:
    """Tell whether a writing transaction is the only one: SQLite has one write lock for all."""
    return connection.dialect.name == "sqlite"


def take_turns(connection: Connection, turn: int) -> None:
    """Let nobody else have this turn before the transaction ends.

    On SQLite a writing transaction has the database to itself anyway.
    """
    if not runs_alone(connection):
        postgresql.take_turns(connection, turn)


def hold_tables(connection: Connection, *tables: Table) -> None:
    """Wait for those who write to these tables, and let nobody else before the transaction ends.

    On SQLite a writing transaction has the database to itself anyway.
    """
    if connection.dialect.name == "postgresql":
        names = ", ".join(map(connection.dialect.identifier_preparer.format_table, tables))
        connection.exec_driver_sql(f"LOCK TABLE {names} IN SHARE ROW EXCLUSIVE MODE")


def insert_or_ignore(connection: Connection, table: Table, values: dict[str, Any]) -> bool:
    """Insert a row unless a unique key forbids it; tell whether this call inserted it."""
    statement = _insert_or_ignore(connection.dialect.name, table, tuple(values))
    return statement.rowcount(connection, values) == 1


@cache
def _insert_or_ignore(dialect_name: str, table: Table, columns: tuple[str, ...]) -> Prepared:
    dialect = sqlite_dialect if dialect_name == "sqlite" else postgresql_dialect
    return Prepared(dialect.insert(table).on_conflict_do_nothing(), *columns)
