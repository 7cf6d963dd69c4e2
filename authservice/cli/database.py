"""Which database a command works on, checked before anything is written."""

import argparse
import os
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from authservice import clock
from authservice.cli import ini_file
from authservice.cli.arguments import fail
from authservice.cli.commands import event_log
from authservice.cli.ini_file import IniFile
from authservice.database import schema
from authservice.database.configuration import open_database
from authservice.database.database import Database
from authservice.database.revision import REVISION
from authservice.database.sqlite import replacement
from authservice.database.sqlite.replacement import InUseError
from authservice.database.transaction import Transaction
from authservice.database.unreleased import UnreleasedSchemaError
from authservice.settings import SettingsError, load_remote_database_url
from authservice.settings.ini_file import IniFileError

_REMOTE = "AUTH_REMOTE_DATABASE_URL"
_LOCAL = "AUTH_DATABASE_URL"


@contextmanager
def local_database(ini: IniFile, *, writes: bool) -> Iterator[Database]:
    """Give the database of AUTH_DATABASE_URL, else that of the ini file.

    The first line of a command that writes says which one it is.
    """
    with closing(lambda: open_database(ini.path)) as database:
        if writes or ini.remark:
            source = _LOCAL if os.environ.get(_LOCAL, "").strip() else str(ini.path)
            _say(database, f"{source}{ini.remark}")
        yield database


@contextmanager
def remote_database(*, writes: bool) -> Iterator[Database]:
    """Give the database of AUTH_REMOTE_DATABASE_URL; no other setting is read."""
    url = os.environ.get(_REMOTE, "").strip()
    if not url:
        fail(f"--remote needs {_REMOTE}, the address of the remote database")

    def open_remote() -> Database:
        return Database(load_remote_database_url(url))

    with closing(open_remote) as database:
        if writes:
            _say(database, _REMOTE)
        yield database


def _say(database: Database, source: str) -> None:
    sys.stderr.write(f"The database is {database.address}, of {source}.\n")
    sys.stderr.flush()


@contextmanager
def reading(options: argparse.Namespace) -> Iterator[Connection]:
    """Give a connection for reading the database that the options name."""
    with _named(options, writes=False) as database:
        yield database.reader


@contextmanager
def writing(options: argparse.Namespace) -> Iterator[Transaction]:
    """Give a writing transaction on the database that the options name; dry runs keep nothing."""
    with (
        _named(options, writes=True) as database,
        database.begin(dry_run=options.dry_run) as transaction,
    ):
        yield transaction


@contextmanager
def _named(options: argparse.Namespace, *, writes: bool) -> Iterator[Database]:
    if options.remote and options.config:
        fail(f"--config does not go with --remote, which reads {_REMOTE} only")
    ini = IniFile(None) if options.remote else ini_file.chosen(options)
    source = remote_database if options.remote else partial(local_database, ini)
    with source(writes=writes) as database:
        if writes:
            event_log.begin(ini.path)
        require_migrated(database, ini, remote=options.remote)
        yield database


def require_migrated(database: Database, ini: IniFile, *, remote: bool = False) -> None:
    """End the command unless the tables are there, with the one that makes them there."""
    if not schema.sqlite_file_is_missing(database):
        if schema.is_migrated(database.reader):
            return
        revision = schema.revision(database.reader)
        if revision is not None and schema.is_newer(revision):
            fail(
                f"the database is at revision {revision}, which does not serve this version of the"
                f" service, made for {REVISION}; use a newer one"
            )
    chosen = f'{_LOCAL}="${_REMOTE}" ' if remote else ""
    config = "" if ini.path is None else f" --config {shlex.quote(ini.path)}"
    fail(
        f"the database {database.address} is not migrated; run: {chosen}authservice migrate{config}"
    )


def kept_as(file: Path) -> Path:
    """Return the name under which a database stays when another takes its place."""
    return file.with_name(f"{file.name}.before-{clock.now():%Y%m%dT%H%M%SZ}")


def migrate_local(database: Database, target: str = REVISION) -> str:
    """Migrate a file of local mode, as schema.migrate does; one that is too old begins again."""
    try:
        return schema.migrate(database, target)
    except UnreleasedSchemaError:
        _set_aside(database, str(schema.revision(database.reader)))
    # The one that is set aside is all that the first database knows.
    with closing(lambda: Database(f"sqlite:///{database.url.database}")) as begun:
        return schema.migrate(begun, target)


def _set_aside(database: Database, revision: str) -> None:
    # This process would lose its own lock on a file that it has open.
    database.dispose()
    file = Path(str(database.url.database))
    kept = kept_as(file)
    try:
        replacement.set_aside(file, kept)
    except InUseError:
        fail(f"{file} is in use; stop what has it open, then try again")
    except OSError as error:
        fail(f"{file} cannot be renamed: {error.strerror}")
    sys.stderr.write(
        f"It is at revision {revision}, from before the first release, and is kept as {kept}."
        " Local mode begins with a new one, in which no client is registered.\n"
    )


@contextmanager
def closing(open_it: Callable[[], Database]) -> Iterator[Database]:
    """Give a database, and end the command with one line where it cannot be used."""
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
    except (schema.NoFolderError, PermissionError) as error:
        fail(f"the database cannot be written: {error}")
    finally:
        database.dispose()
