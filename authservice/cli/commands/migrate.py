"""``authservice migrate``: bring the database up to date, before a new version is started."""

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from authservice.cli import confirmation, database, ini_file
from authservice.cli.arguments import Once, fail
from authservice.database import schema
from authservice.database.postgresql import engines as postgresql
from authservice.database.schema import (
    MigrationsMissingError,
    NewerSchemaError,
    NoRevisionError,
)
from authservice.database.sqlite.replacement import is_in_use


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.set_defaults(run=run)
    ini_file.add_argument(parser)
    parser.add_argument(
        "--revision",
        action=Once,
        default=schema.REVISION,
        help="go to this one; to an older one only while no service runs, losing what came later",
    )
    confirmation.add_arguments(parser)


def run(options: argparse.Namespace) -> None:
    """Apply the migrations that are missing, or undo those that came after a revision."""
    try:
        known = schema.revisions()
    except MigrationsMissingError as error:
        fail(str(error))
    if options.revision not in known:
        fail(f"--revision must be one of {', '.join(known)}")
    ini = ini_file.chosen(options)
    with database.local_database(ini, writes=True) as opened:
        missing = schema.sqlite_file_is_missing(opened)
        current = None if missing else schema.revision(opened.reader)
        back = current in known and options.revision < current
        if back and not opened.is_sqlite:
            # On this one connection, so that no other of this process counts as another process.
            used = partial(postgresql.others_connected, opened.reader)
            _confirm_going_back(options, current, used)
    if back and opened.is_sqlite:
        # By now this process has closed the file, whose lock it would lose otherwise.
        file = Path(str(opened.url.database))
        _confirm_going_back(options, current, partial(is_in_use, file))
    ini = replace(ini, remark="")
    with database.local_database(ini, writes=False) as opened:
        try:
            reached = schema.migrate(opened, options.revision)
        except NewerSchemaError as error:
            fail(
                f"the database is at revision {error}, of a newer version of the service than this"
                f" one, made for {schema.REVISION}; use that version's command"
            )
        except NoRevisionError as error:
            fail(str(error))
    sys.stderr.write(f"The database is at revision {reached}.\n")


def _confirm_going_back(
    options: argparse.Namespace, current: str | None, in_use: Callable[[], object]
) -> None:
    """Continue on yes, if no other process is known to have the database open."""
    _require_unused(in_use)
    confirmation.confirm(
        options,
        f"The database goes back from revision {current} to {options.revision}. Data that only the"
        " newer tables can hold is lost.",
    )
    # A process may have opened the database while the question was open.
    _require_unused(in_use)


def _require_unused(in_use: Callable[[], object]) -> None:
    if in_use():
        fail(
            "the database is in use, and a version that runs needs its tables; stop the service and"
            " whatever else has it open, then try again"
        )
