"""``authservice users``: list, export, release-email and delete.

All work on the database; there is no HTTP endpoint for any of it.
"""

import argparse
import json
import sys
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from authservice import events
from authservice.cli import client_arguments, confirmation, database, ini_file
from authservice.cli.arguments import fail, print_counts
from authservice.cli.commands import event_log
from authservice.events import UserExported
from authservice.services.people import email_addresses
from authservice.services.revocation import user_administration as administration
from authservice.services.revocation.user_administration import UserRow


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the commands and their arguments."""
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    listing = commands.add_parser("list", help="all users, a line each", allow_abbrev=False)
    client_arguments.add_database(listing)
    listing.set_defaults(run=_list)
    export = commands.add_parser(
        "export", help="everything that is stored about a user, as JSON", allow_abbrev=False
    )
    client_arguments.add_database(export)
    _add_user(export)
    export.set_defaults(run=_export)
    releasing = commands.add_parser(
        "release-email",
        help="let another account have a user's e-mail address, and sign the user out",
        allow_abbrev=False,
    )
    client_arguments.add_database(releasing)
    client_arguments.add_dry_run(releasing)
    confirmation.add_arguments(releasing)
    _add_user(releasing)
    releasing.set_defaults(run=_release_email)
    deleting = commands.add_parser(
        "delete", help="delete a user and all data about them", allow_abbrev=False
    )
    client_arguments.add_database(deleting)
    client_arguments.add_dry_run(deleting)
    _add_user(deleting)
    deleting.set_defaults(run=_delete)


def _add_user(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("user", metavar="USER", help="the user's id or e-mail address")


def _list(options: argparse.Namespace) -> None:
    with database.reading(options) as connection:
        rows = administration.all_users(connection)
        if options.json:
            print(json.dumps([_content(row) for row in rows]))
            return
        for row in rows:
            print(f"{row['id']}  {row['email']}  {row['name']}")


def _export(options: argparse.Namespace) -> None:
    event_log.begin(None if options.remote else ini_file.chosen(options).path)
    with database.reading(options) as connection:
        row = _existing(connection, options.user)
        hanging = administration.everything_about(connection, row["id"])
    content: dict[str, Any] = {"user": _content(row)}
    content |= {kind: [_content(each) for each in rows] for kind, rows in hanging.items()}
    print(json.dumps(content, ensure_ascii=False, indent=None if options.json else 2))
    events.log(UserExported(sub=row["id"]))


def _release_email(options: argparse.Namespace) -> None:
    with database.reading(options) as connection:
        row = _existing(connection, options.user)
    if email_addresses.is_stand_in(row["email"]):
        fail(f"user {row['id']} has no address to release")
    confirmation.confirm(
        options,
        f"{row['email']} is no longer user {row['id']}'s then: the next account with it becomes a"
        " new user. The sessions of this user end; nothing else of theirs changes.",
    )
    with database.writing(options) as transaction:
        ended = administration.release_email(transaction, row)
        if ended is None:
            fail(f"user {row['id']} has another address by now; nothing was written")
    if options.dry_run:
        sys.stderr.write("Everything is in order; nothing was written.\n")
    else:
        sys.stderr.write(f"Released the address of {row['id']}.\n")
    print_counts({"sessions": ended}, as_json=options.json)


def _delete(options: argparse.Namespace) -> None:
    with database.writing(options) as transaction:
        row = _existing(transaction.connection, options.user)
        counts = administration.remove(transaction, row)
    if options.dry_run:
        sys.stderr.write("Everything is in order; nothing was written.\n")
    else:
        sys.stderr.write(f"Deleted {row['id']}.\n")
    print_counts(counts, as_json=options.json)


def _existing(connection: Connection, named: str) -> UserRow:
    row = administration.find(connection, named)
    if row is None:
        fail("there is no user of that id or e-mail address; see: authservice users list")
    return row


def _content(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _written(value) for name, value in row.items() if value is not None}


def _written(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return value
