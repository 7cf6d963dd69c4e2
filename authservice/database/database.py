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
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any

from sqlalchemy import URL, Column, ColumnElement, Connection, Table, func, make_url

from authservice.database.postgresql import engines as postgresql
from authservice.database.prepared import Prepared
from authservice.database.sqlite.database_file import DatabaseFile
from authservice.database.sqlite.engines import engines
from authservice.database.sqlite.write_ahead_log import Checkpoints, WriteAheadLog
from authservice.database.transaction import Session, Transaction


class Database:
    """A reader and a writer on one database. Connects when first used.

    ``synchronous`` is SQLite's pragma of that name: how hard a commit is flushed to disk.
    ``patience`` is for PostgreSQL: how many seconds a caller waits for its reply.
    """

    def __init__(self, url: str, *, synchronous: str = "FULL", patience: float = math.inf) -> None:
        self.url = make_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self._checkpoints: Checkpoints | None = None
        self.file: DatabaseFile | None = None
        """What is known of SQLite's file; there is none on a server."""
        if self.is_sqlite:
            self.file = DatabaseFile(str(self.url.database))
            self._reader, self.writer = engines(self.url, synchronous, self.file)
            self._checkpoints = Checkpoints(WriteAheadLog(str(self.url.database)))
        else:
            self._reader, self.writer = postgresql.engines(self.url, patience)
        # To make a session costs as much as a transaction: they are used again.
        self._sessions: list[Session] = []
        self.observe_wait: Callable[[float], None] | None = None
        """Called with the seconds that each writing transaction waited for its turn."""
        self._here = threading.local()
        self._handed_back: list[Connection] = []
        self._readers: weakref.WeakSet[Connection] = weakref.WeakSet()

    @property
    def address(self) -> str:
        """Return the path of the file, or a server's address as PostgreSQL's programs take it.

        There is no secret in it.
        """
        if self.is_sqlite:
            return str(Path(str(self.url.database)).absolute())
        url = self.url.difference_update_query(postgresql.SECRET_PARAMETERS)
        parts = url.username, None, url.host, url.port, url.database, url.query
        return URL.create("postgresql", *parts).render_as_string()

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
        """Give the connection of a writing transaction, to those who note no events in it."""
        with self.begin(dry_run=dry_run) as transaction:
            yield transaction.connection

    def begin(self, *, dry_run: bool = False) -> Transaction:
        """Return a writing transaction that has begun.

        Raises sqlalchemy.exc.TimeoutError when another thread writes for too long, OperationalError
        when another process does or the database is away.
        """
        self._require_file()
        try:
            session = self._sessions.pop()
        except IndexError:
            session = Session(self.writer, self._note_commit)
        began = perf_counter()
        try:
            return Transaction(session, self._sessions.append, dry_run=dry_run)
        finally:
            if self.observe_wait is not None:
                self.observe_wait(perf_counter() - began)

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
        self._reader.dispose()
        self.writer.dispose()

    def _note_commit(self) -> None:
        """Raise OperationalError where a commit counts for nothing: nobody is told it was made."""
        if self.file is not None and self._checkpoints is not None:
            self.file.require()
            self._checkpoints.note_transaction()

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


def without_index(column: Column[str]) -> ColumnElement[str]:
    """Return a column for a condition that no index of the column answers.

    Of two indexes SQLite takes the one that was made first. A client has many rows and a person
    few, so a query for both has to use the index of the person.
    """
    return func.coalesce(column, "")


def runs_alone(connection: Connection) -> bool:
    """Tell whether a writing transaction is the only one: SQLite has one write lock for all."""
    return connection.dialect.name == "sqlite"


def advisory_lock(connection: Connection, key: int) -> None:
    """Wait for an advisory lock, and hold it until the transaction ends.

    On SQLite a writing transaction has the database to itself anyway.
    """
    if not runs_alone(connection):
        postgresql.advisory_lock(connection, key)


def lock_tables(connection: Connection, *tables: Table) -> None:
    """Wait until no other transaction writes to these tables, and lock them until the end.

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
    # Only the dialect of the database that there is: the other one takes 30 ms to import.
    dialect = import_module(f"sqlalchemy.dialects.{dialect_name}")
    return Prepared(dialect.insert(table).on_conflict_do_nothing(), *columns)
