"""SQLite's write-ahead log, kept short beside the requests, while readers and writers never rest.

Checkpoints move pages from the log into the database. SQLite would have the thread of every so many
commits do it, with everybody who writes behind it: in a large database, a thousand pages in as many
places, and a wait for the disk. And the log starts again only when a writer finds no reader. Where
readers overlap all the time that never happens: it grows without end, and reading becomes slow.
"""

import logging
import os
import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from time import sleep

_log = logging.getLogger(__name__)

# About two thousand pages: the more, the more often two changes share one.
_TRANSACTIONS = 80
_LONGEST = 16 * 1024 * 1024
# Others wait for this long at most. A reader takes far less, unless it copies the whole file.
_PATIENCE_MS = 50
_ATTEMPTS = 5
_TURNS = 50
_PAUSE_SECONDS = 0.01
# What SQLite answers while another connection is moving pages.
_NOT_OUR_TURN = (1, -1, -1)


class WriteAheadLog:
    """The log of one database file; several processes may look after it."""

    def __init__(self, database_file: str) -> None:
        self._database_file = database_file
        self._longest = _LONGEST

    def size(self) -> int:
        """Return how long the log is, in bytes."""
        try:
            return os.stat(f"{self._database_file}-wal").st_size  # noqa: PTH116  (called each second)
        except FileNotFoundError:
            return 0

    def move_pages(self) -> None:
        """Move what was committed into the database, while others write and read.

        What they commit meanwhile is moved too, so that the log can start again with the next one.
        """
        with closing(self._connected()) as connection:
            for _ in range(_TURNS):
                answer = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
                busy, length, moved = answer
                if busy or moved == length:
                    break

    def keep_short(self) -> None:
        """Let the log start again if it has become long.

        Where a reader stays in the way, it is let be until the log is twice as long.
        """
        size = self.size()
        if size <= self._longest:
            return
        self._longest = _LONGEST if self._cut() else 2 * size

    def _cut(self) -> bool:
        tried = 0
        with closing(self._connected()) as connection:
            connection.execute(f"PRAGMA busy_timeout = {_PATIENCE_MS}")
            for _ in range(_TURNS):
                answer = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
                if answer[0] == 0:
                    return True
                tried += answer != _NOT_OUR_TURN
                if tried == _ATTEMPTS:
                    return False
                sleep(_PAUSE_SECONDS)
        # Others have been moving pages all the time. They may have cut the log, too.
        return True

    def _connected(self) -> sqlite3.Connection:
        # Not to make a database where there is none any more.
        return sqlite3.connect(f"{Path(self._database_file).absolute().as_uri()}?mode=rw", uri=True)


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
