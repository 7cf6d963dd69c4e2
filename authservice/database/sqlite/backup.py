"""A backup of a database file: taken while the service runs, complete or not there at all."""

import os
import secrets
from pathlib import Path

from authservice.crypto.private_files import make_file
from authservice.database.sqlite.copy import copy, examine


def back_up(database_file: Path, target: Path) -> str:
    """Write a backup that only its owner may read, and return the revision of its tables.

    It gets its name once it has been found sound. Raises FileExistsError when that name is taken,
    DamagedError when the database is not sound, OSError and sqlite3.Error.
    """
    if target.exists():
        raise FileExistsError(target)
    draft = target.with_name(f"{target.name}.{secrets.token_hex(4)}.partial")
    try:
        copy(database_file, draft)
        revision = examine(draft)
        # No file is replaced, not even one that has come meanwhile.
        os.close(make_file(target))
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)
    flush(target.parent)
    return revision


def flush(folder: Path) -> None:
    """Write down which files are in a folder, so that a power cut does not take them away."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
