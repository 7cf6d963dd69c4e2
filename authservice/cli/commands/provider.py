"""``authservice provider``: rebind the database to another identity provider."""

import argparse
import os
import sys

from authservice.cli import confirmation, database, ini_file
from authservice.cli.arguments import fail, print_counts
from authservice.cli.client_arguments import add_dry_run
from authservice.cli.commands import event_log
from authservice.cli.ini_file import IniFile
from authservice.services.people import provider_pin
from authservice.services.people.provider_pin import ProviderPin
from authservice.services.revocation.rebind import rebind
from authservice.settings import SettingsError, load_provider_identity


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command and its arguments."""
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    rebinding = commands.add_parser(
        "rebind",
        help="forget the accounts of the former provider, and pin the one in the settings",
        allow_abbrev=False,
    )
    ini_file.add_arguments(rebinding)
    add_dry_run(rebinding)
    confirmation.add_arguments(rebinding)
    rebinding.set_defaults(run=_rebind)


def _rebind(options: argparse.Namespace) -> None:
    ini = ini_file.chosen(options)
    wanted = _wanted(ini)
    with database.local_database(ini, writes=True) as opened:
        event_log.begin(ini.path)
        database.require_migrated(opened, ini)
        former = provider_pin.pinned(opened.reader)
        if former is None:
            fail("no provider is pinned yet; the next start of the service pins one")
        if former == wanted:
            fail(f"the database is that of {wanted} already; nothing was written")
        confirmation.confirm(
            options,
            f"This forgets all accounts of {former}; from then on {wanted} identifies people. Every"
            " person becomes a new user, all sessions and refresh tokens end, and no data of the"
            " former users moves.",
        )
        with opened.begin(dry_run=options.dry_run) as transaction:
            counts = rebind(transaction, former, wanted)
            if counts is None:
                fail("another provider was pinned meanwhile; nothing was written")
    if options.dry_run:
        sys.stderr.write("Everything is in order; nothing was written.\n")
    else:
        sys.stderr.write(f"The database is that of {wanted} now.\n")
    print_counts(counts, as_json=options.json)


def _wanted(ini: IniFile) -> ProviderPin:
    try:
        return ProviderPin.of(*load_provider_identity(ini.settings(), os.environ))
    except SettingsError as error:
        fail("; ".join(str(problem) for problem in error.problems))
