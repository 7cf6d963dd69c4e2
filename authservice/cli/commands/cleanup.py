"""``authservice cleanup``: delete rows that expired long ago.

It may run while the service does, and more than once at a time.
"""

import argparse
import json
import signal
import sys
import threading
from types import FrameType

from authservice.cli import database, ini_file
from authservice.services.upkeep.cleanup import CleanUp


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.set_defaults(run=run)
    ini_file.add_arguments(parser)


def run(options: argparse.Namespace) -> None:
    """Delete expired rows, until none is left or a signal comes, and print how many there were."""
    ended = threading.Event()

    def stop(number: int, _frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)
        ended.set()

    with database.local_database(ini_file.chosen(options), writes=True) as opened:
        database.require_migrated(opened)
        signal.signal(signal.SIGTERM, stop)
        signal.signal(signal.SIGINT, stop)
        deleted = CleanUp(opened, ended).run()
    if options.json:
        sys.stdout.write(json.dumps(deleted | {"complete": not ended.is_set()}) + "\n")
        return
    for name, number in deleted.items():
        sys.stdout.write(f"{name.replace('_', ' ')}: {number} deleted\n")
    if ended.is_set():
        sys.stderr.write("Stopped before the end; the rest goes the next time.\n")
