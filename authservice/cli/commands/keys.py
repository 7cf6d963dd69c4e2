"""``authservice keys``: list, rotate, retire and reencrypt the signing keys.

All work on the database, with the secret of the service. Running servers follow in a minute.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from authservice import clock
from authservice.cli import client_arguments, database, ini_file
from authservice.cli.arguments import Switch, fail
from authservice.crypto.server_secret import ServerSecret
from authservice.crypto.signing_keys import SigningKey
from authservice.database.configuration import existing_secret
from authservice.database.database import Database
from authservice.services.keys import key_rotation, key_schedule, stored_keys
from authservice.services.keys.key_rotation import KeyChangeError
from authservice.settings import SettingsError

Change = Callable[[Connection, ServerSecret, Mapping[str, SigningKey], argparse.Namespace], None]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the commands and their arguments."""
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    listing = commands.add_parser("list", help="all keys, a line each", allow_abbrev=False)
    ini_file.add_arguments(listing)
    listing.set_defaults(run=_list)
    for name, (change, help_text) in _CHANGES.items():
        command = commands.add_parser(name, help=help_text, allow_abbrev=False)
        ini_file.add_arguments(command)
        client_arguments.add_dry_run(command)
        command.set_defaults(run=_run, change=change)
        if name == "rotate":
            command.add_argument(
                "--immediately",
                action=Switch,
                help="let the new keys sign at once instead of publishing them first",
            )
        if name == "retire":
            command.add_argument("kid", metavar="KID", help="the id of the key")
            command.add_argument(
                "--replace",
                action=Switch,
                help="make another key if nothing else would sign with this algorithm",
            )


def _list(options: argparse.Namespace) -> None:
    with _opened(options) as (opened, secret):
        _print(opened.reader, secret, options)


def _run(options: argparse.Namespace) -> None:
    with _opened(options) as (opened, secret):
        # Made before the transaction begins: the service writes meanwhile.
        makes_keys = options.change is _rotate or getattr(options, "replace", False)
        new = key_rotation.new_keys() if makes_keys else {}
        with opened.transaction(dry_run=options.dry_run) as connection:
            try:
                options.change(connection, secret, new, options)
            except KeyChangeError as error:
                fail(str(error))
            if options.dry_run:
                sys.stderr.write("Everything is in order; nothing was written.\n")
                if options.json:
                    _print(connection, secret, options)
        if not options.dry_run:
            _print(opened.reader, secret, options)


def _rotate(
    connection: Connection,
    secret: ServerSecret,
    new: Mapping[str, SigningKey],
    options: argparse.Namespace,
) -> None:
    key_rotation.rotate(connection, new, secret, immediately=options.immediately)


def _retire(
    connection: Connection,
    secret: ServerSecret,
    new: Mapping[str, SigningKey],
    options: argparse.Namespace,
) -> None:
    key_rotation.retire(connection, options.kid, new, secret)


def _reencrypt(
    connection: Connection,
    secret: ServerSecret,
    _new: Mapping[str, SigningKey],
    _options: argparse.Namespace,
) -> None:
    key_rotation.store_anew(connection, secret)


_CHANGES: dict[str, tuple[Change, str]] = {
    "rotate": (_rotate, "publish new keys, which take over in two hours"),
    "retire": (_retire, "delete a key: nothing that it signed is accepted any more"),
    "reencrypt": (_reencrypt, "store under AUTH_SECRET what AUTH_SECRET_PREVIOUS opens"),
}


@contextmanager
def _opened(options: argparse.Namespace) -> Iterator[tuple[Database, ServerSecret]]:
    ini = ini_file.chosen(options)
    with database.local_database(ini, writes=options.run is _run) as opened:
        database.require_migrated(opened, ini)
        try:
            secret = existing_secret(opened)
        except SettingsError as error:
            fail("; ".join(str(problem) for problem in error.problems))
        yield opened, secret


def _print(connection: Connection, secret: ServerSecret, options: argparse.Namespace) -> None:
    """Print all keys, and on standard error what the operator still has to do about secrets."""
    keys = stored_keys.every(connection)
    now = clock.now()
    usable = key_rotation.usable_with(keys, secret)
    states = key_schedule.states(keys, usable, now)
    listed: list[dict[str, Any]] = [
        {
            "kid": key.kid,
            "alg": key.alg,
            "state": states[key.kid],
            "secret": key.stored_with(secret),
            "created_at": _text(key.created_at),
            "signs_from": _text(
                key_schedule.signs_from(key, keys, usable, now)
                if states[key.kid] == "next"
                else None
            ),
            "signs_until": _text(key.expires_at),
            "published_until": _text(key_schedule.published_until(key)),
            "verifies_until": _text(key_schedule.verifies_until(key)),
        }
        for key in keys
    ]
    if options.json:
        sys.stdout.write(json.dumps(listed) + "\n")
    else:
        sys.stdout.writelines(f"{_line(key)}\n" for key in listed)
    sys.stderr.writelines(f"{advice}\n" for advice in _advice(listed))


def _text(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat(timespec="seconds").replace("+00:00", "Z")


# What to say of a key in each state.
_TIMES = {
    "next": {"created_at": "made", "signs_from": "signs from"},
    "signing": {"created_at": "made", "signs_until": "signs until"},
    "retiring": {"signs_until": "signed until", "published_until": "published until"},
    "retired": {"signs_until": "signed until", "verifies_until": "verifies until"},
    "locked": {"created_at": "made", "signs_until": "signs until"},
}


def _line(key: Mapping[str, Any]) -> str:
    words = _TIMES[key["state"]].items()
    times = ", ".join(f"{word} {key[name]}" for name, word in words if key[name])
    secret = "" if key["secret"] == "current" else f" ({key['secret'] or 'another'} secret)"
    return f"{key['kid']}  {key['alg']:5}  {key['state']:8}  {times}{secret}"


def _advice(listed: list[dict[str, Any]]) -> Iterator[str]:
    alive = [key for key in listed if key["state"] not in {"retiring", "retired"}]
    if any(key["secret"] == "previous" for key in alive):
        yield (
            "Keys depend on AUTH_SECRET_PREVIOUS. When every process has the new AUTH_SECRET,"
            " run: authservice keys reencrypt"
        )
    if any(key["secret"] is None for key in alive):
        yield (
            "Keys were stored under another AUTH_SECRET. Set it as AUTH_SECRET_PREVIOUS, or, if it"
            " is lost, run: authservice keys rotate"
        )
