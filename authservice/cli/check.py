"""``authservice check``: whether a deployment would work, before it is made."""

import argparse
import os
from pathlib import Path

from authservice.cli import findings
from authservice.cli.arguments import Once

SUMMARY = "examine configuration and machine before a deployment"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.set_defaults(run=run)
    parser.add_argument(
        "--config",
        action=Once,
        default="production.ini",
        metavar="INI",
        help="the ini file (./production.ini)",
    )
    findings.add_arguments(parser)


def run(options: argparse.Namespace) -> None:
    """Examine everything, and end with status 1 where the deployment would not work."""
    # Imported here: the other commands need no HTTP client.
    from authservice.diagnosis import before  # noqa: PLC0415

    findings.report(before.examine(Path(options.config), os.environ), options)
