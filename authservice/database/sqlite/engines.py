"""SQLite's two engines on one file: one that only reads, and one that takes the lock at once."""

import sqlite3
from time import monotonic
from typing import Any

from sqlalchemy import URL, Connection, Engine, ExceptionContext, create_engine, event
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import NullPool, QueuePool

from authservice.database.prepared import is_read_only, run
from authservice.database.sqlite.database_file import DatabaseFile

# How long a connection waits for what others have locked, before the request gets 503.
PATIENCE_SECONDS = 5
# SQLite asks for the lock ever more seldom. Where others write all the time, it would not find
# one of the short moments in which it is free; called again it begins with a millisecond.
_ASKED_AGAIN_MS = 5
# A commit moves pages from SQLite's log into the file only where the checkpoints are that late.
_PAGES_AT_MOST = 4000
_TAKEN_BACK = "SQLite has rolled the transaction back"


def engines(url: URL, synchronous: str, file: DatabaseFile) -> tuple[Engine, Engine]:
    """Return an engine that only reads, and one whose transactions write.

    Take how hard a commit is flushed to disk, as SQLite calls it, and what knows the file that they
    have opened: they open no other one.
    """
    return _reader(url, file), _writer(url, synchronous, file)


def _reader(url: URL, file: DatabaseFile) -> Engine:
    # Each thread holds the connection that it reads with.
    reader = _engine(url, file, poolclass=NullPool)

    @event.listens_for(reader, "connect")
    def on_connect(connection: Any, _record: object) -> None:  # noqa: ANN401  (a DBAPI connection)
        connection.execute("PRAGMA query_only = ON")

    return reader


def _writer(url: URL, synchronous: str, file: DatabaseFile) -> Engine:
    # To wait for the one connection costs nothing, to wait for the file's lock is to ask again and
    # again. And the page cache of a connection holds as long as no other one writes.
    writer = _engine(
        url, file, poolclass=QueuePool, pool_size=1, max_overflow=0, pool_timeout=PATIENCE_SECONDS
    )

    @event.listens_for(writer, "connect")
    def on_connect(connection: Any, _record: object) -> None:  # noqa: ANN401  (a DBAPI connection)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        # Debian's SQLite overwrites what is deleted by itself; others have to be told.
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute(f"PRAGMA wal_autocheckpoint = {_PAGES_AT_MOST}")
        # What takes a statement back that fails half way is kept in memory. The folder for
        # temporary files may be one that a container must not write to.
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute(f"PRAGMA busy_timeout = {_ASKED_AGAIN_MS}")

    @event.listens_for(writer, "begin")
    def on_begin(connection: Connection) -> None:
        _begin_immediate(connection)

    @event.listens_for(writer, "commit")
    def on_commit(connection: Connection) -> None:
        driver: Any = connection.connection.dbapi_connection
        if not driver.in_transaction:
            # As it may when the disk is full. The driver would pass over it.
            raise OperationalError("COMMIT", None, sqlite3.OperationalError(_TAKEN_BACK))

    @event.listens_for(writer, "handle_error")
    def on_error(context: ExceptionContext) -> None:
        # Opened again, a connection can write as soon as the file allows.
        if is_read_only(context.original_exception):
            context.is_disconnect = True

    return writer


def _engine(url: URL, file: DatabaseFile, **pool: Any) -> Engine:  # noqa: ANN401  (as the engine's)
    engine = create_engine(
        url,
        # An error's text goes to the log; the values do not belong there.
        hide_parameters=True,
        **pool,
        connect_args={"check_same_thread": False, "timeout": PATIENCE_SECONDS},
    )

    @event.listens_for(engine, "do_connect")
    def on_do_connect(*_arguments: object) -> None:
        file.before_connecting()

    @event.listens_for(engine, "connect")
    def on_connect(connection: Any, _record: object) -> None:  # noqa: ANN401  (a DBAPI connection)
        # The driver would begin transactions by its own rules; ours begin as we say.
        connection.isolation_level = None
        connection.execute("PRAGMA foreign_keys = ON")
        file.connected()

    return engine


def _begin_immediate(connection: Connection) -> None:
    """Take the write lock; raises OperationalError when another process has it for too long."""
    over = monotonic() + PATIENCE_SECONDS
    while True:
        try:
            run(connection, "BEGIN IMMEDIATE")
        except OperationalError as error:
            if not _is_locked(error.orig) or monotonic() > over:
                raise
        else:
            return


def _is_locked(error: BaseException | None) -> bool:
    code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK)
    # The lowest byte is the kind, the rest says more of it.
    return code & 0xFF == sqlite3.SQLITE_BUSY
