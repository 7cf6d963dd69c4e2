"""Where the last requests are kept: in memory, and once a program asks for them in a file too.

All processes on one database show the same requests. The database itself would make each answer
wait for a writing transaction; the file is one of its own beside it, and what it holds may be lost
with the machine. It is written for many requests at once. Nothing is spent on requests that no
program ever asks for: what is shown of one is made when it is written.
"""

import json
import os
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from time import (
    monotonic,
    time_ns,  # noqa: TID251  (a reset and a request may share the millisecond of our clock)
)
from typing import Any

from authservice.crypto import private_files

KEPT = 1000
"""How many requests are kept."""
# So many wait for the file at most.
_AT_ONCE = 100
# How soon a request of another process is seen, once it is written; those of this one at once.
_LOOK_AGAIN_SECONDS = 0.05
_TABLES = (
    "CREATE TABLE IF NOT EXISTS request (id INTEGER PRIMARY KEY AUTOINCREMENT, content TEXT)",
    "CREATE TABLE IF NOT EXISTS emptied (at INTEGER)",
)
_LATEST = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence"
_EMPTIED = "SELECT coalesce(max(at), 0) FROM emptied"

Content = Callable[[], dict[str, Any]]
"""Makes what is shown of a request."""


class RequestLog:
    """The last requests. A number counts them, which a reset does not begin again.

    ``file`` is None where the database is no file: then each process keeps its own.
    """

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._opened: sqlite3.Connection | None = None
        # Threads that answer leave a request here without a lock: they would wait for one another.
        self._added: SimpleQueue[tuple[int, Content]] = SimpleQueue()
        self._new: deque[tuple[int, Content]] = deque()
        self._passed_over = 0
        self._changed = threading.Condition()
        self._closed = False

    def add(self, content: Content) -> None:
        """Keep a request, and let the oldest go when there are too many.

        Until a program asks, up to twice as many are kept: so a lock is needed once for all these.
        """
        # A request may still be answered while the server ends.
        if self._closed:
            return
        # The machine's clock, which all processes have, however a program has turned theirs.
        self._added.put((time_ns(), content))
        if self._opened is None and self._added.qsize() <= KEPT:
            return
        with self._changed:
            before = len(self._new)
            self._take_in()
            self._changed.notify_all()
            # Beyond that number the file takes none, and the next request need not try again.
            if self._opened is not None and before < _AT_ONCE <= len(self._new):
                self._write()

    def write(self) -> None:
        """Let other processes see the requests of this one, if a program has read any."""
        with self._changed:
            if not self._closed and self._is_wanted():
                self._write()

    def after(self, number: int, seconds: float) -> list[dict[str, Any]]:
        """Return the requests after a number, oldest first; if there are none, wait for the next.

        Returns an empty list when none came within the seconds.
        """
        end = monotonic() + seconds
        with self._changed:
            while not self._closed:
                self._write()
                entries = self._after(number)
                left = end - monotonic()
                if entries or left <= 0:
                    return entries
                self._changed.wait(min(left, _LOOK_AGAIN_SECONDS))
        return []

    def last(self) -> int:
        """Return the number of the latest request, and 0 before the first."""
        with self._changed:
            self._write()
            (number,) = self._connection().execute(_LATEST).fetchone()
        return int(number)

    def empty(self) -> None:
        """Forget all requests, those too that other processes have not written yet."""
        with self._changed:
            self._write()
            with self._transaction() as connection:
                connection.execute("DELETE FROM request")
                connection.execute("DELETE FROM emptied")
                connection.execute("INSERT INTO emptied VALUES (?)", (time_ns(),))

    def close(self) -> None:
        """End all waiting, and close the file."""
        with self._changed:
            if self._opened is not None:
                self._write()
                self._opened.close()
            self._closed = True
            self._changed.notify_all()

    def _is_wanted(self) -> bool:
        return self._opened is not None or (self._file is not None and self._file.exists())

    def _connection(self) -> sqlite3.Connection:
        if self._opened is None:
            if self._file is not None:
                # It is there already, or another process is making it.
                with suppress(FileExistsError):
                    os.close(private_files.make_file(self._file))
            opened = sqlite3.connect(
                self._file or ":memory:", check_same_thread=False, isolation_level=None
            )
            try:
                # Not WAL: of processes that start together, some would fail to switch to it.
                opened.execute("PRAGMA journal_mode = PERSIST")
                opened.execute("PRAGMA synchronous = OFF")
                for table in _TABLES:
                    opened.execute(table)
            except sqlite3.Error:
                # As on a full disk: a later request tries it again.
                opened.close()
                raise
            self._opened = opened
        return self._opened

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        connection = self._connection()
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            yield connection

    def _take_in(self) -> None:
        with suppress(Empty):
            while True:
                self._new.append(self._added.get_nowait())
        while len(self._new) > KEPT:
            self._new.popleft()
            self._passed_over += 1

    def _write(self) -> None:
        self._take_in()
        if not self._new:
            return
        # Answers have been made: what a file that is locked, full or damaged does not take now
        # stays in memory until it does.
        with suppress(OSError, sqlite3.Error):
            self._insert(self._new, self._passed_over)
            self._new.clear()
            self._passed_over = 0

    def _insert(self, new: Iterable[tuple[int, Content]], passed_over: int) -> None:
        with self._transaction() as connection:
            ((latest,), (emptied,)) = (
                connection.execute(each).fetchone() for each in (_LATEST, _EMPTIED)
            )
            numbered = enumerate(new, latest + passed_over + 1)
            rows = [
                (number, json.dumps(content()))
                for number, (added, content) in numbered
                if added > emptied
            ]
            connection.executemany("INSERT INTO request VALUES (?, ?)", rows)
            connection.execute(f"DELETE FROM request WHERE id <= ({_LATEST}) - ?", (KEPT,))  # noqa: S608  (no value from outside)

    def _after(self, number: int) -> list[dict[str, Any]]:
        rows = self._connection().execute(
            "SELECT id, content FROM request WHERE id > ? ORDER BY id", (number,)
        )
        return [{"id": row[0]} | json.loads(row[1]) for row in rows]
