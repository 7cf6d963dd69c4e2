"""``authservice cleanup``: delete rows that expired long ago.

It may run while the service does, and more than once at a time.
"""

import argparse
import json
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
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

    ini = ini_file.chosen(options)
    with (
        database.local_database(ini, writes=True) as opened,
        # Another thread waits for the event: a signal that came while this one begins to would
        # find its lock taken, and wait for it for ever.
        ThreadPoolExecutor(1) as executor,
    ):
        database.require_migrated(opened, ini)
        signal.signal(signal.SIGTERM, stop)
        signal.signal(signal.SIGINT, stop)
        deleted = executor.submit(CleanUp(opened, ended).run).result()
    if options.json:
        sys.stdout.write(json.dumps(deleted | {"complete": not ended.is_set()}) + "\n")
        return
    for name, number in deleted.items():
        sys.stdout.write(f"{name.replace('_', ' ')}: {number} deleted\n")
    if ended.is_set():
        sys.stderr.write("Stopped before the end; the rest goes the next time.\n")
