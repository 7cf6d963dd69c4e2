"""Which database a command works on, checked before anything is written."""

import argparse
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import URL, Connection
from sqlalchemy.exc import DBAPIError

from authservice import schema
from authservice.cli import event_log
from authservice.cli.arguments import fail
from authservice.configuration import open_database
from authservice.db import Database
from authservice.ini_file import IniFileError
from authservice.postgresql import SECRET_PARAMETERS
from authservice.settings import SettingsError, load_database_settings

_LOCAL_INI = "local.ini"


def ini_path(config: str | None) -> str | None:
    """Return the ini file to read: the named one, else ./local.ini if there is one."""
    return config or (_LOCAL_INI if Path(_LOCAL_INI).is_file() else None)


@contextmanager
def local_database(config: str | None) -> Iterator[Database]:
    """Give the database of AUTH_DATABASE_URL, else that of the ini file."""
    path = ini_path(config)
    if path is None and not os.environ.get("AUTH_DATABASE_URL"):
        fail("which database? Set AUTH_DATABASE_URL, or name an ini file with --config")
    with _closing(lambda: open_database(path)) as database:
        yield database


@contextmanager
def remote_database() -> Iterator[Database]:
    """Give the database of AUTH_REMOTE_DATABASE_URL; no other setting is read."""
    url = os.environ.get("AUTH_REMOTE_DATABASE_URL", "").strip()
    if not url:
        fail("--remote needs AUTH_REMOTE_DATABASE_URL, the address of the remote database")

    def open_remote() -> Database:
        checked, synchronous = load_database_settings({"auth.database_url": url}, {})
        return Database(checked, synchronous=synchronous)

    with _closing(open_remote) as database:
        yield database


@contextmanager
def reading(options: argparse.Namespace) -> Iterator[Connection]:
    """Give a connection for reading the database that the options name."""
    with _named(options) as database:
        yield database.reader


@contextmanager
def writing(options: argparse.Namespace) -> Iterator[Connection]:
    """Give a writing transaction on the database that the options name; dry runs keep nothing."""
    event_log.begin(None if options.remote else ini_path(options.config))
    with (
        _named(options) as database,
        database.transaction(dry_run=options.dry_run) as connection,
    ):
        yield connection


@contextmanager
def _named(options: argparse.Namespace) -> Iterator[Database]:
    if options.remote and options.config:
        fail("--config does not go with --remote, which reads AUTH_REMOTE_DATABASE_URL only")
    source = remote_database() if options.remote else local_database(options.config)
    with source as database:
        require_migrated(database)
        yield database


def libpq_address(database: Database) -> str:
    """Return a PostgreSQL database's address as its own programs take it, without a secret."""
    url = database.url.difference_update_query(SECRET_PARAMETERS)
    parts = url.username, None, url.host, url.port, url.database, url.query
    return URL.create("postgresql", *parts).render_as_string()


def require_migrated(database: Database) -> None:
    """End the command unless the tables are there."""
    if not schema.sqlite_file_is_missing(database):
        if schema.is_migrated(database.reader):
            return
        revision = schema.revision(database.reader)
        if revision is not None and schema.is_newer(revision):
            fail(
                f"the database is at revision {revision}, which does not serve this version of the"
                f" service, made for {schema.REVISION}; use a newer one"
            )
    fail("the database is not migrated; run: authservice migrate --config INI")


@contextmanager
def _closing(open_it: Callable[[], Database]) -> Iterator[Database]:
    try:
        database = open_it()
    except SettingsError as error:
        fail("; ".join(str(problem) for problem in error.problems))
    except (IniFileError, ModuleNotFoundError, OSError) as error:
        fail(str(error))
    try:
        yield database
    except DBAPIError as error:
        # The driver's own text may name the host, but never holds the password.
        reason = str(error.orig).strip().splitlines()[0]
        fail(f"the database cannot be reached or written: {reason}")
    finally:
        database.dispose()
