"""``authservice sign-out-everyone``: after a restore, or when the database was stolen."""

import argparse
import sys

from authservice.cli import client_arguments, database
from authservice.cli.arguments import print_counts
from authservice.events import EveryoneSignedOut
from authservice.services.revocation import mass_sign_out


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.set_defaults(run=run)
    client_arguments.add_database(parser)
    client_arguments.add_dry_run(parser)


def run(options: argparse.Namespace) -> None:
    """Sign everybody out, all in one transaction, and say how many sessions and tokens ended."""
    with database.writing(options) as transaction:
        counts = mass_sign_out.sign_out_everyone(transaction.connection)
        happened = EveryoneSignedOut(
            sessions=counts["sessions"], refresh_tokens=counts["refresh_tokens"]
        )
        transaction.note(happened)
    if options.dry_run:
        sys.stderr.write("Everything is in order; nothing was written.\n")
    print_counts(counts, as_json=options.json)
