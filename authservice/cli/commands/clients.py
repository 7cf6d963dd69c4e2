"""``authservice clients``: list, show, update, disable, enable, rotate-secret and delete.

All work on the database; there is no HTTP endpoint for any of it.
"""

import argparse
import json
import sys
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from authservice.cli import client_arguments, database, without_effect
from authservice.cli.arguments import Once, fail
from authservice.database.transaction import Transaction
from authservice.services.clients import client_administration as administration
from authservice.services.clients import clients
from authservice.services.clients.client_administration import ClientRow
from authservice.services.clients.client_metadata import as_registered

_LONGEST_OVERLAP = 30 * 24 * 3600

Change = Callable[[Transaction, ClientRow, argparse.Namespace], tuple[ClientRow | None, str | None]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the commands and their arguments."""
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    listing = commands.add_parser("list", help="all clients, a line each", allow_abbrev=False)
    client_arguments.add_database(listing)
    listing.set_defaults(run=_list)
    show = commands.add_parser("show", help="one client", allow_abbrev=False)
    client_arguments.add_database(show)
    show.add_argument("client_id")
    show.set_defaults(run=_show)
    for name, (change, help_text) in _CHANGES.items():
        command = commands.add_parser(name, help=help_text, allow_abbrev=False)
        client_arguments.add_database(command)
        client_arguments.add_dry_run(command)
        command.add_argument("client_id")
        command.set_defaults(run=_run, change=change)
        if name == "update":
            client_arguments.add_metadata(command, required=False)
        if name == "rotate-secret":
            command.add_argument(
                "--overlap",
                action=Once,
                type=_overlap,
                default=timedelta(),
                metavar="SECONDS",
                help="how long the old secret still works (0, at most 30 days)",
            )


def _list(options: argparse.Namespace) -> None:
    with database.reading(options) as connection:
        rows = administration.all_clients(connection)
    if options.json:
        print(json.dumps([_content(row) for row in rows]))
        return
    for row in rows:
        state = " (disabled)" if row["disabled"] else ""
        # Time of registration and redirect URIs distinguish two clients of one name.
        made = row["created_at"].isoformat(timespec="seconds").replace("+00:00", "Z")
        leads_to = " ".join(row["redirect_uris"])
        if row["grant_types"] in clients.WITHOUT_PEOPLE:
            kind = "machine" if row["grant_types"] == clients.MACHINE else "resource server"
            leads_to = " ".join((kind, *(row["resources"] or ())))
        print(f"{row['client_id']}  {made}  {row['name']}{state}  {leads_to}")


def _show(options: argparse.Namespace) -> None:
    with database.reading(options) as connection:
        row = administration.find(connection, options.client_id)
        _print_client(_existing(row, options.client_id), options)


def _run(options: argparse.Namespace) -> None:
    with database.writing(options) as transaction:
        row = administration.find_to_change(transaction.connection, options.client_id)
        row = _existing(row, options.client_id)
        registered_algs = clients.registered_algs(transaction.connection)
        try:
            changed, secret = options.change(transaction, row, options)
        except ValueError as error:
            fail(str(error))
    if options.change is _update:
        if row["client_secret"] is not None and changed and changed["client_secret"] is None:
            sys.stderr.write("The client's secret no longer works: it has keys now.\n")
        client_arguments.remark_on_key_set(options, registered_algs)
        without_effect.remark(options, options.client_id, changed)
    if options.dry_run:
        sys.stderr.write("Everything is in order; nothing was written.\n")
        if options.json and changed is not None:
            _print_client(changed, options)
    elif changed is None:
        sys.stderr.write(f"Deleted {options.client_id}.\n")
    else:
        _print_client(changed, options, secret)


def _update(
    transaction: Transaction, row: ClientRow, options: argparse.Namespace
) -> tuple[ClientRow, None]:
    changes = client_arguments.metadata(options)
    if not changes:
        raise ValueError("nothing to change: name at least one option")
    return administration.change(transaction, row, changes), None


def _disable(
    transaction: Transaction, row: ClientRow, _options: argparse.Namespace
) -> tuple[ClientRow, None]:
    return administration.set_disabled(transaction, row, disabled=True), None


def _enable(
    transaction: Transaction, row: ClientRow, _options: argparse.Namespace
) -> tuple[ClientRow, None]:
    return administration.set_disabled(transaction, row, disabled=False), None


def _rotate_secret(
    transaction: Transaction, row: ClientRow, options: argparse.Namespace
) -> tuple[ClientRow, str]:
    return administration.rotate_secret(transaction, row, options.overlap)


def _delete(
    transaction: Transaction, row: ClientRow, _options: argparse.Namespace
) -> tuple[None, None]:
    administration.remove(transaction, row)
    return None, None


_CHANGES: dict[str, tuple[Change, str]] = {
    "update": (_update, "change what is named and leave the rest"),
    "disable": (_disable, "refuse the client and all its tokens"),
    "enable": (_enable, "let a disabled client work again"),
    "rotate-secret": (_rotate_secret, "give the client a new secret"),
    "delete": (_delete, "delete the client with its consents and tokens"),
}


def _existing(row: ClientRow | None, client_id: str) -> ClientRow:
    if row is None:
        fail(f"there is no client {client_id}")
    return row


def _content(row: ClientRow) -> dict[str, Any]:
    return as_registered(row["client_id"], row) | {"disabled": bool(row["disabled"])}


def _print_client(row: ClientRow, options: argparse.Namespace, secret: str | None = None) -> None:
    content = _content(row) | ({"client_secret": secret} if secret else {})
    if options.json:
        print(json.dumps(content))
        return
    for name, value in content.items():
        text = json.dumps(value) if isinstance(value, dict) else value
        print(f"{name}: {' '.join(value) if isinstance(value, list) else text}")


def _overlap(text: str) -> timedelta:
    if not text.isdigit() or int(text) > _LONGEST_OVERLAP:
        raise argparse.ArgumentTypeError(f"must be 0 to {_LONGEST_OVERLAP} seconds")
    return timedelta(seconds=int(text))
