"""SQLite's write-ahead log, kept short while readers and writers never rest.

Pages are moved from the log into the database all the time. But the log starts again only when a
writer finds no reader, and where readers overlap all the time that never happens: the log grows
without end, and reading becomes slow.
"""

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from time import sleep

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
