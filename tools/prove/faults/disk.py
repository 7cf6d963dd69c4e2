"""The disk: full, without room for one more page, not to be written, held by another process."""

import os
import resource
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy import make_url

from tools.prove.faults.trial import Fault, Service
from tools.prove.outcome import Extent

_SECONDS: dict[Extent, float] = {"brief": 2, "quick": 5, "long": 300}
_LOCKED: dict[Extent, float] = {"brief": 1, "quick": 10, "long": 120}
_BLOCK = 65536

NOT_MOUNTED = "no file system may be mounted here"


def faults(extent: Extent) -> Iterator[Fault]:
    """Yield what may be wrong with the file of SQLite and the disk that it is on."""
    yield Fault("full disk", full, _SECONDS[extent])
    yield Fault("files may not grow", _no_growth, _SECONDS[extent])
    yield Fault("read-only file", _read_only, _SECONDS[extent], through=_unprivileged())
    yield Fault(f"locked for {_LOCKED[extent]:.0f} s", _locked, _LOCKED[extent])


@contextmanager
def small(folder: Path, mebibytes: int) -> Iterator[bool]:
    """Mount a small file system on a folder; give whether that is allowed here."""
    options = f"size={mebibytes}m,mode=777"
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        yield False
        return
    try:
        yield True
    finally:
        subprocess.check_call(["umount", folder])


def fill(folder: Path) -> Path:
    """Take what is left of the disk that a folder is on; return the file that has it."""
    rest = folder / "rest"
    with rest.open("ab", buffering=0) as file, suppress(OSError):
        while True:
            file.write(_BLOCK * b"x")
    return rest


def _file(subject: Service) -> Path:
    return Path(make_url(subject.deployment.database_url).database or "")


@contextmanager
def full(subject: Service) -> Iterator[None]:
    """Leave no block of the database's disk."""
    rest = fill(_file(subject).parent)
    try:
        yield
    finally:
        rest.unlink()


@contextmanager
def _no_growth(subject: Service) -> Iterator[None]:
    """Let the server write nothing behind what is there: a quota, and a log that ends, too."""
    _, most = resource.prlimit(subject.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(subject.pid, resource.RLIMIT_FSIZE, (4096, most))
    try:
        yield
    finally:
        resource.prlimit(subject.pid, resource.RLIMIT_FSIZE, (most, most))


@contextmanager
def _read_only(subject: Service) -> Iterator[None]:
    """Take the right to write away, which is needed when a process opens the file."""
    file = _file(subject)
    file.chmod(0o400)
    subject.restart()
    try:
        yield
    finally:
        file.chmod(0o600)


@contextmanager
def _locked(subject: Service) -> Iterator[None]:
    connection = sqlite3.connect(_file(subject), isolation_level=None)
    connection.execute("PRAGMA busy_timeout = 30000")
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        connection.close()


def _unprivileged() -> tuple[str, ...]:
    """Return the program that lets file modes count for root, too."""
    if os.geteuid() != 0:
        return ()
    rights = "-dac_override,-dac_read_search"
    return ("setpriv", f"--inh-caps={rights}", f"--bounding-set={rights}")
