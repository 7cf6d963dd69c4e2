"""``authservice migrate``: bring the database up to date, before a new version is started."""

import argparse
import sys

from authservice import schema
from authservice.cli import database
from authservice.cli.arguments import Once

SUMMARY = "bring the database up to date"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.set_defaults(run=run)
    parser.add_argument("--config", action=Once, metavar="INI", help="the ini file (./local.ini)")


def run(options: argparse.Namespace) -> None:
    """Apply the migrations that are missing."""
    with database.local_database(options.config) as opened:
        schema.migrate(opened)
    sys.stderr.write(f"The database is at revision {schema.REVISION}.\n")
