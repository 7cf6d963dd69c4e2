"""``authservice restore``: replace the SQLite database by a backup.

A copy of the backup is migrated, and all people are signed out in it. Then the copy replaces the
database in one step. The former database stays next to it.
"""

import argparse
import json
import secrets
import shlex
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from authservice import events
from authservice.cli import database, ini_file
from authservice.cli.arguments import Switch, fail
from authservice.cli.commands import event_log
from authservice.database import schema
from authservice.database.database import Database
from authservice.database.revision import REVISION
from authservice.database.schema import MigrationsMissingError, NewerSchemaError
from authservice.database.sqlite.copy import DamagedError, as_one_file, copy, examine
from authservice.database.sqlite.replacement import InUseError, replace
from authservice.database.unreleased import UnreleasedSchemaError
from authservice.events import BackupRestored
from authservice.services.revocation.mass_sign_out import sign_out_everyone


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.set_defaults(run=run)
    parser.add_argument("file", type=Path, metavar="FILE", help="the backup")
    parser.add_argument(
        "--keep-sessions",
        action=Switch,
        help="leave people signed in; only if the service has not run since the backup",
    )
    ini_file.add_arguments(parser)


def run(options: argparse.Namespace) -> None:
    """Restore the backup, and say where the former database is."""
    ini = ini_file.chosen(options)
    with database.local_database(ini, writes=True) as opened:
        event_log.begin(ini.path)
        if not opened.is_sqlite:
            address = opened.address
            named = f" --config {shlex.quote(options.config)}" if options.config else ""
            fail(
                "this database is a PostgreSQL server's; stop the service, then: pg_restore --clean"
                f" --if-exists --no-owner --single-transaction --dbname={address} {options.file}"
                f" && authservice migrate{named} && authservice sign-out-everyone{named}"
            )
        target = Path(str(opened.url.database))
    kept_as = database.kept_as(target)
    try:
        with _prepared(options, target) as (content, revision):
            existed = replace(target, content, kept_as)
    except InUseError:
        fail(f"{target} is in use; stop the service and whatever else has it open, then try again")
    except DamagedError as error:
        fail(f"{options.file} cannot be restored: {error}; nothing was changed")
    except (OSError, sqlite3.Error) as error:
        fail(f"{options.file} cannot be restored: {error}")
    except DBAPIError as error:
        fail(f"{options.file} cannot be restored: {error.orig}; nothing was changed")
    events.log(BackupRestored(everyone_signed_out=not options.keep_sessions))
    _say(options, target, revision, kept_as if existed else None)


@contextmanager
def _prepared(options: argparse.Namespace, target: Path) -> Iterator[tuple[Path, str]]:
    """Give a copy of the backup that is ready to become the database, and its revision."""
    examine(options.file)
    draft = target.with_name(f"{target.name}.{secrets.token_hex(4)}.partial")
    try:
        copy(options.file, draft)
        prepared = Database(f"sqlite:///{draft}")
        try:
            schema.migrate(prepared)
        except (MigrationsMissingError, UnreleasedSchemaError) as error:
            fail(f"{options.file} cannot be restored: {error}; nothing was changed")
        except NewerSchemaError as error:
            raise DamagedError(
                f"its revision {error} does not serve this version of the service, which is made"
                f" for {REVISION}"
            ) from None
        if not options.keep_sessions:
            with prepared.transaction() as connection:
                sign_out_everyone(connection)
        prepared.dispose()
        as_one_file(draft)
        yield draft, examine(draft)
    finally:
        for suffix in ("", "-wal", "-shm", "-journal"):
            draft.with_name(draft.name + suffix).unlink(missing_ok=True)


def _say(options: argparse.Namespace, target: Path, revision: str, kept_as: Path | None) -> None:
    former = None if kept_as is None else str(kept_as)
    if options.json:
        content = {
            "database": str(target),
            "revision": revision,
            "kept_as": former,
            "signed_out": not options.keep_sessions,
        }
        sys.stdout.write(json.dumps(content) + "\n")
        return
    sys.stdout.write(f"{target}: restored, revision {revision}\n")
    if former is not None:
        sys.stdout.write(f"{former}: the database as it was before\n")
    if not options.keep_sessions:
        sys.stdout.write("All people are signed out, and every token is revoked.\n")
