"""``authservice backup``: a copy of the SQLite database, taken while the service runs."""

import argparse
import json
import shlex
import sqlite3
import sys
from pathlib import Path

from authservice.cli import database, ini_file
from authservice.cli.arguments import fail
from authservice.database import schema
from authservice.database.sqlite.backup import back_up
from authservice.database.sqlite.copy import DamagedError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.set_defaults(run=run)
    parser.add_argument(
        "file", type=Path, metavar="FILE", help="the backup, a file that does not exist yet"
    )
    ini_file.add_arguments(parser)


def run(options: argparse.Namespace) -> None:
    """Write the backup and say what it holds."""
    with database.local_database(ini_file.chosen(options), writes=True) as opened:
        if not opened.is_sqlite:
            address = opened.address
            fail(
                "this database is a PostgreSQL server's; back it up with: pg_dump --format=custom"
                f" --no-owner --file={options.file} --dbname={address}"
            )
        if schema.sqlite_file_is_missing(opened):
            fail(f"there is no database {opened.url.database}")
        source = Path(str(opened.url.database))
    folder = options.file.parent
    if not folder.is_dir():
        fail(f"there is no folder {folder}; make it: mkdir -p {shlex.quote(str(folder))}")
    try:
        revision = back_up(source, options.file)
    except FileExistsError:
        fail(f"{options.file} is there already; a backup replaces nothing")
    except DamagedError as error:
        fail(f"the database is damaged: {error}; there is no backup of it")
    except (OSError, sqlite3.Error) as error:
        fail(f"the backup cannot be written: {error}")
    size = options.file.stat().st_size
    if options.json:
        content = {"file": str(options.file), "bytes": size, "revision": revision}
        sys.stdout.write(json.dumps(content) + "\n")
    else:
        sys.stdout.write(f"{options.file}: {size} bytes, revision {revision}, found to be sound\n")
