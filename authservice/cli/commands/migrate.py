"""``authservice migrate``: bring the database up to date, before a new version is started."""

import argparse
import sys

from authservice.cli import confirmation, database, ini_file
from authservice.cli.arguments import Once, Switch, fail
from authservice.database import other_processes, schema
from authservice.database.database import Database
from authservice.database.revision import REVISION
from authservice.database.schema import (
    MigrationsMissingError,
    NewerSchemaError,
    NoRevisionError,
)
from authservice.database.unreleased import TAKEN_OVER, UnreleasedSchemaError, is_unreleased


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.set_defaults(run=run)
    ini_file.add_argument(parser)
    parser.add_argument(
        "--revision",
        action=Once,
        default=REVISION,
        help="go to this one; to an older one, what came later is lost",
    )
    parser.add_argument(
        "--anyway",
        action=Switch,
        help="migrate although a process has the database open that the new tables do not serve",
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
        _require_served(options, opened)
        # What is taken over goes on from there.
        begun = TAKEN_OVER if current is not None and is_unreleased(current) else current
        if begun in known and options.revision < begun:
            confirmation.confirm(
                options,
                f"The database goes back from revision {current} to {options.revision}. Data that"
                " only the newer tables can hold is lost.",
            )
            # A process may have opened the database while the question was open.
            _require_served(options, opened)
        is_local = opened.is_sqlite and ini.settings().get("auth.mode") == "local"
        migrate = database.migrate_local if is_local else schema.migrate
        try:
            reached = migrate(opened, options.revision)
        except NewerSchemaError as error:
            fail(
                f"the database is at revision {error}, of a newer version of the service than this"
                f" one, made for {REVISION}; use that version's command"
            )
        except (NoRevisionError, UnreleasedSchemaError) as error:
            fail(str(error))
    sys.stderr.write(f"The database is at revision {reached}.\n")


def _require_served(options: argparse.Namespace, opened: Database) -> None:
    """End the command if another process works with the database that the new tables exclude."""
    if not options.anyway and (excluded := other_processes.excluded(opened, options.revision)):
        fail(
            f"the database is in use by {', '.join(excluded)}, whose version does not work with the"
            f" tables of revision {options.revision}; stop it first, or add --anyway: then it"
            " answers with errors"
        )
