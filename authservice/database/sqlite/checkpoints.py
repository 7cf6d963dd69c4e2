"""Checkpoints beside the requests: pages go from the write-ahead log into the file meanwhile.

SQLite would have the thread of every so many commits do it, with everybody who writes behind it.
In a large database that is a thousand pages in as many places, and a wait for the disk.
"""

import logging
import sqlite3
import threading

from authservice.database.sqlite.write_ahead_log import WriteAheadLog

_log = logging.getLogger(__name__)

# About two thousand pages: the more, the more often two changes share one.
_TRANSACTIONS = 80


class Checkpoints:
    """Moves pages in a thread of its own, each time that so many transactions have ended.

    The thread begins with the first of these times: few commands write as much.
    """

    def __init__(self, log: WriteAheadLog) -> None:
        self._log = log
        self._transactions = 0
        self._due = threading.Event()
        self._stopped = False
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None

    def note_transaction(self) -> None:
        """Count a transaction that has ended; one lost between two threads does not matter."""
        self._transactions += 1
        if self._transactions < _TRANSACTIONS:
            return
        self._transactions = 0
        self._due.set()
        with self._starting:
            if self._thread is None and not self._stopped:
                self._thread = threading.Thread(target=self._run, name="checkpoints", daemon=True)
                self._thread.start()

    def make(self) -> None:
        """Move the pages now, in this thread."""
        try:
            self._log.move_pages()
        except sqlite3.Error:
            # The pages are safe where they are, and go the next time.
            _log.exception("a checkpoint failed, and is tried again")

    def stop(self) -> None:
        """End, after the checkpoint that is under way."""
        with self._starting:
            self._stopped = True
        self._due.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while True:
            self._due.wait()
            self._due.clear()
            # Looked at after that, so that a stop in between is not forgotten.
            if self._stopped:
                return
            self.make()
