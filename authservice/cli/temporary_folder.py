"""A folder that lasts as long as its process, however that ends.

A process that is killed cannot remove its own, so the next one does. It knows by a lock whether
the process is there still: a number might belong to another process by then.
"""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir, mkdtemp

_NAME = "authservice-local-"
# Not locked yet, so nobody may take it for one that was left behind.
_UNLOCKED = "authservice-new-"


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Give a new folder, for this user alone; those of processes that were killed are removed."""
    _remove_left_behind()
    folder = Path(mkdtemp(prefix=_UNLOCKED))
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        folder = folder.rename(folder.with_name(folder.name.replace(_UNLOCKED, _NAME)))
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _remove_left_behind() -> None:
    for folder in Path(gettempdir()).glob(f"{_NAME}*"):
        try:
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            # Another user's, or another process has removed it by now.
            continue
        try:
            if os.fstat(lock).st_uid == os.getuid():
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
        except BlockingIOError:
            # Its process runs.
            continue
        finally:
            os.close(lock)
