"""Asking before something is done that cannot be undone."""

import argparse
import sys

from authservice.cli.arguments import Switch, fail


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the switch for scripts, which cannot answer."""
    parser.add_argument("--yes", action=Switch, help="do it without asking")


def confirm(options: argparse.Namespace, what: str) -> None:
    """Continue on yes, and end the command otherwise. A dry run changes nothing, so it never asks.

    Not inside a transaction: all other writers would wait for the answer.
    """
    if options.yes or getattr(options, "dry_run", False):
        return
    sys.stderr.write(f"{what}\nType yes to go on: ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() != "yes":
        fail("not confirmed, so nothing was written; in a script, add --yes")
