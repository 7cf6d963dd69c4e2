"""The database file below a running service: still the one that was opened, and still sound.

SQLite goes on in a file that was deleted or replaced. What it commits there is lost, so
nothing of it may be acknowledged. The file is looked at after each commit and before each answer
of readiness; what is wrong in it is looked for at the start, and whenever it has changed.
"""

import logging
import os
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from time import monotonic

from sqlalchemy.exc import DBAPIError, OperationalError

from authservice.crypto.private_files import make_file
from authservice.database.sqlite.copy import is_cut, quick_fault

_log = logging.getLogger(__name__)

_GONE = "is no longer there"
_REPLACED = "is another one than the service has opened"
_PUT_BACK = (
    "put the same file back; or stop the service, restore a backup with authservice restore, and"
    " start it again"
)
_RESTORE = "stop the service, restore a backup with authservice restore, and start it again"

# To look for damage may take this part of a processor; a small file is done each second.
_REST_PER_WORK = 100
# So quick is the examination of a small file that a request can wait for it, and so seldom do
# those that write.
_QUICK_SECONDS = 0.02
_SECONDS_BETWEEN = 1.0
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_CUT = "it is shorter than its header says"


class DatabaseFile:
    """One process's view of its database file, which may not be there yet."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._identity: tuple[int, int] | None = None
        self._damage: str | None = None
        self._examining = threading.Lock()
        # To examine a file is part of looking at it.
        self._noting = threading.RLock()
        self._examined: tuple[int, int] | None = None
        self._examined_at = 0.0
        self._size = 0
        self._took = 0.0
        self._rest_until = 0.0
        self._interrupt: Callable[[], None] | None = None
        self._stopped = False
        self.fault: str | None = None
        """What was wrong at the last look."""

    def before_connecting(self) -> None:
        """Make the file if it was never opened; raises OperationalError if it is another one."""
        if self._identity is not None:
            self.require()
            return
        # SQLite would make it with what the umask leaves. Its log and the index of it get the
        # mode of the file. Where this fails, connecting does, and says why. A link may lead to a
        # file that is not there yet.
        try:
            os.close(make_file(Path(os.path.realpath(self._path))))
        except OSError:
            return

    def connected(self) -> None:
        """Note which file was opened, at the first connection."""
        if self._identity is None:
            status = self._stat()
            self._identity = None if status is None else _identity(status)

    def require(self) -> None:
        """Raise OperationalError unless this is the file that was opened, and not known as damaged.

        It costs one question to the kernel. Of a file that has become shorter the header is read. A
        small one that has changed is examined, if the last examination was a second ago.
        """
        self._note(at_commit=True)
        if self.fault is not None:
            raise OperationalError(
                "", None, sqlite3.OperationalError(f"the database file {self.fault}")
            )

    def look(self) -> str | None:
        """Return what is wrong; what has changed is examined if that is quickly done."""
        self._note()
        if self._took < _QUICK_SECONDS:
            self._examine_what_has_changed()
        return self.fault

    def look_again(self) -> None:
        """Look for what is wrong, as each second: for damage as often as there is time for it."""
        self._note()
        self._examine_what_has_changed()

    def note_failure(self, error: BaseException) -> None:
        """Believe SQLite's word, in the error of a statement, that the file is damaged."""
        cause = error.orig if isinstance(error, DBAPIError) else error
        if getattr(cause, "sqlite_errorcode", 0) & 0xFF in _DAMAGED:
            self._damage = str(cause)
            self._note()

    def examine_within(self, seconds: float) -> str | None:
        """Look for damage, and return what was found in this time; the rest is done aside."""
        thread = threading.Thread(target=self.examine, name="examination", daemon=True)
        thread.start()
        thread.join(seconds)
        return self._damage

    def examine(self) -> None:
        """Look for damage, unless another thread does."""
        if self._stopped or not self._examining.acquire(blocking=False):
            return
        try:
            # A change from now on will have the file examined again.
            status = self._stat()
            began = monotonic()
            damage = self._quick_fault()
            self._took = monotonic() - began
            self._examined_at = monotonic()
            self._rest_until = self._examined_at + _REST_PER_WORK * self._took
            self._examined = None if status is None else _version(status)
            if damage is not None:
                self._damage = damage
                self._note()
        finally:
            self._examining.release()

    def stop(self) -> None:
        """End an examination that is under way; there is none any more."""
        self._stopped = True
        if self._interrupt is not None:
            self._interrupt()

    def _quick_fault(self) -> str | None:
        def begun(connection: sqlite3.Connection) -> None:
            self._interrupt = connection.interrupt

        try:
            return quick_fault(Path(self._path), begun)
        except sqlite3.Error as error:
            # Locked, away or interrupted: nothing is known of it.
            damaged = getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGED
            return str(error) if damaged else None
        finally:
            self._interrupt = None

    def _what_is_wrong(self, *, at_commit: bool = False) -> str | None:
        if self._damage is None:
            if self._identity is None:
                return None
            status = self._stat()
            if status is None:
                return f"{_GONE}: {_PUT_BACK}"
            if _identity(status) != self._identity:
                return f"{_REPLACED}: {_PUT_BACK}"
            # VACUUM makes it shorter too. To examine all of it would keep others from writing.
            if status.st_size < self._size and is_cut(Path(self._path)):
                return f"is damaged ({_CUT}): {_RESTORE}"
            self._size = status.st_size
            if at_commit:
                self._examine_at_once(status)
        return None if self._damage is None else f"is damaged ({self._damage}): {_RESTORE}"

    def _examine_at_once(self, status: os.stat_result) -> None:
        """Examine a small file that has changed."""
        if self._examined is not None and self._took < _QUICK_SECONDS:
            rests = monotonic() < self._examined_at + _SECONDS_BETWEEN
            if not rests and _version(status) != self._examined:
                self.examine()

    def _note(self, *, at_commit: bool = False) -> None:
        """Note what is wrong, and say it once: nobody notes what was seen before another looked."""
        with self._noting:
            fault = self._what_is_wrong(at_commit=at_commit)
            before, self.fault = self.fault, fault
            if fault is not None and fault != before:
                _log.error(
                    "nothing is acknowledged any more: the database file %s %s", self._path, fault
                )
            elif fault is None and before is not None:
                _log.warning("the database file %s is back", self._path)

    def _examine_what_has_changed(self) -> None:
        if self.fault is not None or monotonic() < self._rest_until:
            return
        status = self._stat()
        if status is not None and _version(status) != self._examined:
            self.examine()

    def _stat(self) -> os.stat_result | None:
        try:
            return os.stat(self._path)  # noqa: PTH116  (called after each commit)
        except OSError:
            return None


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def _version(status: os.stat_result) -> tuple[int, int]:
    return status.st_mtime_ns, status.st_size
