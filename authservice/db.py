"""The database: one engine that only reads and one that writes, on the same file or server.

On SQLite a transaction that reads first and writes later fails at once when another has written
meanwhile, whatever the busy timeout. So a writing transaction takes the write lock as it begins
(BEGIN IMMEDIATE), and the reader cannot write at all. The reader works in autocommit: each
statement sees the newest state, and no open snapshot keeps the write-ahead log from being cut.

On PostgreSQL writing transactions run side by side, and each of their statements sees what is
committed when it begins: anyone who counts on more says so with a lock or a condition.
"""

import math
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from time import perf_counter
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, Table, func, make_url
from sqlalchemy.dialects import postgresql as postgresql_dialect
from sqlalchemy.dialects import sqlite as sqlite_dialect

from authservice import events, postgresql
from authservice.prepared import Prepared
from authservice.sqlite.checkpoints import Checkpoints
from authservice.sqlite.database_file import DatabaseFile
from authservice.sqlite.engines import engines
from authservice.sqlite.group_commit import GroupCommit
from authservice.sqlite.write_ahead_log import WriteAheadLog


class Database:
    """A reader and a writer on one database. Connects when first used."""

    def __init__(self, url: str, *, synchronous: str = "FULL", patience: float = math.inf) -> None:
        """Take an SQLAlchemy URL.

        For SQLite, take how hard a commit is flushed to disk; for a server, how many seconds
        anybody waits for its reply.
        """
        self.url = make_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self._group_commit: GroupCommit | None = None
        self._checkpoints: Checkpoints | None = None
        self.file: DatabaseFile | None = None
        """What is known of SQLite's file; there is none on a server."""
        if self.is_sqlite:
            self.file = DatabaseFile(str(self.url.database))
            self._reader, self.writer = engines(self.url, synchronous, self.file)
            self._checkpoints = Checkpoints(WriteAheadLog(str(self.url.database)))
            self._group_commit = GroupCommit(self.writer, self._checkpoints, self.file.require)
        else:
            self._reader, self.writer = postgresql.engines(self.url, patience)
        self.observe_wait: Callable[[float], None] | None = None
        """Called with the seconds that each writing transaction waited for its turn."""
        self._here = threading.local()
        self._handed_back: list[Connection] = []
        self._readers: weakref.WeakSet[Connection] = weakref.WeakSet()

    @property
    def reader(self) -> Connection:
        """Return this thread's connection for reading; a write through it fails."""
        self._require_file()
        connection: Connection | None = getattr(self._here, "reader", None)
        if connection is None and self._handed_back:
            # Another thread may be first.
            with suppress(IndexError):
                connection = self._here.reader = self._handed_back.pop()
        if connection is not None and self._is_ended(connection):
            connection.close()
            connection = None
        if connection is None:
            connection = self._reader.connect()
            self._here.reader = connection
            self._readers.add(connection)
        return connection

    def hand_back_reader(self) -> None:
        """Let another thread read through this one's connection: it reads no more for now.

        There are no more connections than threads that read at the same time, however many do in
        turn.
        """
        connection: Connection | None = getattr(self._here, "reader", None)
        if connection is not None:
            self._here.reader = None
            self._handed_back.append(connection)

    @contextmanager
    def transaction(self, *, dry_run: bool = False) -> Iterator[Connection]:
        """Give a writing transaction: rolled back by an exception, and at the end of a dry run."""
        connection = self.begin()
        happened: list[events.Event] = []
        try:
            yield connection
            if not dry_run:
                happened = self.commit(connection)
        finally:
            self.end(connection)
        events.log(*happened)

    def begin(self) -> Connection:
        """Return a connection in a writing transaction, which this thread commits and then ends.

        Raises sqlalchemy.exc.TimeoutError when another thread writes for too long, OperationalError
        when another process does or the database is away.
        """
        if self.observe_wait is None:
            return self._begin()
        began = perf_counter()
        try:
            return self._begin()
        finally:
            self.observe_wait(perf_counter() - began)

    def _begin(self) -> Connection:
        self._require_file()
        if self._group_commit is not None:
            connection = self._group_commit.begin()
            # What was noted in a transaction that was rolled back has not happened.
            events.taken(connection)
            return connection
        connection = self.writer.connect()
        try:
            connection.begin()
        except BaseException:
            connection.close()
            raise
        return connection

    def commit(self, connection: Connection) -> list[events.Event]:
        """Commit what was written, and return what is true by now; then nothing more is written.

        The connection may be another thread's already.
        """
        happened = events.taken(connection)
        if self._group_commit is not None:
            self._group_commit.commit()
        else:
            connection.commit()
        return happened

    def end(self, connection: Connection) -> None:
        """Roll back what was not committed, and let others have the connection."""
        if self._group_commit is not None:
            self._group_commit.roll_back()
        else:
            connection.close()

    def checkpoint(self) -> None:
        """Move what was committed from SQLite's log into its file; there is nothing on a server."""
        if self._checkpoints is not None:
            self._checkpoints.make()

    def dispose(self) -> None:
        """Close every connection, also those that other threads hold for reading."""
        if self._checkpoints is not None:
            self._checkpoints.stop()
        if self.file is not None:
            self.file.stop()
        for connection in list(self._readers):
            connection.close()
        if self._group_commit is not None:
            self._group_commit.close()
        self._reader.dispose()
        self.writer.dispose()

    def _require_file(self) -> None:
        # After a commit it is looked at closely. Here a word about it is enough, for all who ask.
        if self.file is not None and self.file.fault is not None:
            self.file.require()

    def _is_ended(self, connection: Connection) -> bool:
        if connection.closed or connection.invalidated:
            return True
        if self.is_sqlite:
            return False
        driver: Any = connection.connection.dbapi_connection
        return bool(driver.is_ended())


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
