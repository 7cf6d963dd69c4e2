"""Replacing a database file while no process has it open.

The content is replaced and not the file: a process that opens it meanwhile waits, and then finds
the new content. Until the very end the file is no database, so that one that was written by half
answers no request.
"""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from authservice.crypto.private_files import make_file
from authservice.database.sqlite.backup import flush

# Where SQLite locks a file (its "unix" VFS): pending, reserved and shared together. A process that
# has a database with a write-ahead log open holds a shared lock all the time.
_LOCKS_BEGIN = 0x40000000
_LOCKS_LENGTH = 512
_HEADER = 100
_LOGS = ("-wal", "-journal")


class InUseError(Exception):
    """Another process has the database open."""


def replace(database_file: Path, content: Path, kept_as: Path) -> bool:
    """Replace a database by another file's content; tell whether there was one, which is kept.

    What is kept is the file as it was, with its logs. A database that is not there yet is made.
    Raises InUseError before anything is changed, and OSError.
    """
    with _alone(database_file) as held:
        owner = os.fstat(held.fileno())
        existed = owner.st_size > 0
        if existed:
            _keep(held, kept_as, owner)
            for suffix in _LOGS:
                log = _beside(database_file, suffix)
                if log.exists():
                    with log.open("rb") as file:
                        _keep(file, _beside(kept_as, suffix), owner)
            flush(kept_as.parent)
        _write_beginning(held, b"\0" * _HEADER)
        # A log that is left from before would be taken for the new content's own.
        for suffix in (*_LOGS, "-shm"):
            _beside(database_file, suffix).unlink(missing_ok=True)
        flush(database_file.parent)
        with content.open("rb") as new:
            header = new.read(_HEADER)
            held.seek(_HEADER)
            shutil.copyfileobj(new, held)
        held.truncate()
        held.flush()
        os.fsync(held.fileno())
        _write_beginning(held, header)
    return existed


def set_aside(database_file: Path, kept_as: Path) -> None:
    """Give a database another name, with its logs, so that another can begin in its place.

    Raises InUseError before anything is changed, and OSError.
    """
    with _alone(database_file):
        for suffix in _LOGS:
            log = _beside(database_file, suffix)
            if log.exists():
                log.rename(_beside(kept_as, suffix))
        _beside(database_file, "-shm").unlink(missing_ok=True)
        database_file.rename(kept_as)
        flush(kept_as.parent)


def users(database_file: Path) -> list[str]:
    """Return the processes that have the database open; to be called while this one has not."""
    try:
        with _alone(database_file):
            return []
    except InUseError:
        return _named(database_file) or ["another process"]


def _named(file: Path) -> list[str]:
    """Return the processes that have a file open, as far as the system shows them to this user."""
    found = {}
    for opened in Path("/proc").glob("[0-9]*/fd/*"):
        # A process may end meanwhile, and others show nothing.
        with suppress(OSError):
            if opened.samefile(file):
                process = opened.parents[1]
                name = (process / "comm").read_text(encoding="utf-8", errors="replace")
                # It chooses its name itself, which must not speak to a terminal.
                program = "".join(filter(str.isprintable, name))
                found[process.name] = f"process {process.name} ({program})"
    return list(found.values())


@contextmanager
def _alone(database_file: Path) -> Iterator[BinaryIO]:
    """Hold the file open, alone.

    The lock is lost as soon as this process closes the file in any other place, so nothing does.
    """
    try:
        descriptor, is_new = make_file(database_file), True
    except FileExistsError:
        descriptor, is_new = os.open(database_file, os.O_RDWR), False
    with os.fdopen(descriptor, "r+b") as held:
        try:
            fcntl.lockf(held, fcntl.LOCK_EX | fcntl.LOCK_NB, _LOCKS_LENGTH, _LOCKS_BEGIN)
        except (BlockingIOError, PermissionError):
            raise InUseError from None
        if is_new:
            _give(held, database_file.parent.stat())
        yield held


def _keep(source: BinaryIO, target: Path, owner: os.stat_result) -> None:
    with os.fdopen(make_file(target), "wb") as copy:
        source.seek(0)
        shutil.copyfileobj(source, copy)
        copy.flush()
        os.fsync(copy.fileno())
        _give(copy, owner)


def _give(file: BinaryIO, owner: os.stat_result) -> None:
    if os.geteuid() == 0:
        os.fchown(file.fileno(), owner.st_uid, owner.st_gid)


def _write_beginning(held: BinaryIO, beginning: bytes) -> None:
    held.seek(0)
    held.write(beginning)
    held.flush()
    os.fsync(held.fileno())


def _beside(file: Path, suffix: str) -> Path:
    return file.with_name(file.name + suffix)
