"""``authservice migrate``: bring the database up to date, before a new version is started."""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from authservice import postgresql, schema
from authservice.cli import confirmation, database, ini_file
from authservice.cli.arguments import Once, fail
from authservice.cli.ini_file import IniFile
from authservice.schema import MigrationsMissingError, NewerSchemaError
from authservice.sqlite.replacement import is_in_use

SUMMARY = "bring the database up to date"


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
        found = None if missing else schema.revision(opened.reader)
    ini = replace(ini, remark="")
    if found in known and options.revision < found:
        _require_no_other(ini)
        confirmation.confirm(
            options,
            f"The database goes back from revision {found} to {options.revision}. What only the"
            " newer tables can hold is lost.",
        )
        # Somebody may have started the service while nobody had answered.
        _require_no_other(ini)
    with database.local_database(ini, writes=False) as opened:
        try:
            reached = schema.migrate(opened, options.revision)
        except NewerSchemaError as error:
            fail(
                f"the database is at revision {error}, of a newer version of the service than this"
                f" one, made for {schema.REVISION}; use that version's command"
            )
    sys.stderr.write(f"The database is at revision {reached}.\n")


def _require_no_other(ini: IniFile) -> None:
    """End the command while another process has the database open, as far as that can be known."""
    with database.local_database(ini, writes=False) as opened:
        used = not opened.is_sqlite and postgresql.others_connected(opened.reader) > 0
        file = Path(str(opened.url.database))
    # By now this process has closed the file, whose lock it would lose otherwise.
    if used or (opened.is_sqlite and is_in_use(file)):
        fail(
            "the database is in use, and a version that runs needs its tables; stop the service and"
            " whatever else has it open, then try again"
        )
