"""``authservice check``: whether a deployment would work, before it is made."""

import argparse
import os
import sys
from pathlib import Path

from authservice.cli import findings, ini_file

_PRODUCTION = "production.ini"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.set_defaults(run=run)
    ini_file.add_argument(parser, otherwise=_PRODUCTION)
    findings.add_arguments(parser)


def run(options: argparse.Namespace) -> None:
    """Examine everything, and end with status 1 where the deployment would not work."""
    # Imported here: the other commands need no HTTP client.
    from authservice.diagnosis import before  # noqa: PLC0415

    ini = ini_file.named(options)
    if ini.remark:
        sys.stderr.write(f"The ini file is {ini.path}{ini.remark}.\n")
    findings.report(before.examine(Path(ini.path or _PRODUCTION), os.environ), options)
