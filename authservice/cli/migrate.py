"""``authservice migrate``: bring the database up to date, before a new version is started."""

import argparse
import sys

from authservice import schema
from authservice.cli import database
from authservice.cli.arguments import Once, fail
from authservice.schema import MigrationsMissingError, NewerSchemaError

SUMMARY = "bring the database up to date"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.set_defaults(run=run)
    parser.add_argument("--config", action=Once, metavar="INI", help="the ini file (./local.ini)")
    parser.add_argument(
        "--revision",
        action=Once,
        default=schema.REVISION,
        help="go to this one, which may be older and lose what came later",
    )


def run(options: argparse.Namespace) -> None:
    """Apply the migrations that are missing, or undo those that came after a revision."""
    try:
        known = schema.revisions()
    except MigrationsMissingError as error:
        fail(str(error))
    if options.revision not in known:
        fail(f"--revision must be one of {', '.join(known)}")
    with database.local_database(options.config) as opened:
        try:
            reached = schema.migrate(opened, options.revision)
        except NewerSchemaError as error:
            fail(
                f"the database is at revision {error}, of a newer version of the service than this"
                f" one, made for {schema.REVISION}; use that version's command"
            )
    sys.stderr.write(f"The database is at revision {reached}.\n")
