"""Asking before something is done that cannot be undone."""

import argparse
import sys

from authservice.cli.arguments import Switch, fail


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the switch for those whom nobody can ask."""
    parser.add_argument("--yes", action=Switch, help="do it without asking")


def confirm(options: argparse.Namespace, what: str) -> None:
    """Go on if somebody says yes; end the command otherwise. A dry run does nothing to ask about.

    Not inside a transaction: everybody else would wait for the answer.
    """
    if options.yes or getattr(options, "dry_run", False):
        return
    sys.stderr.write(f"{what}\nType yes to go on: ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() != "yes":
        fail("not confirmed, so nothing was written; where nobody can be asked, add --yes")
