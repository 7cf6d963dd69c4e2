"""Copying a database file while others write to it, and telling whether a copy is sound."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from authservice.crypto.private_files import make_file


class DamagedError(Exception):
    """A file that is no database of the service, or one that is not whole."""


def copy(source: Path, target: Path) -> None:
    """Copy a database as it is at one moment, into a new file that only its owner may read.

    The copy is one file, without a log beside it. Raises FileExistsError, and sqlite3.Error.
    """
    os.close(make_file(target))
    with _reading(source) as reading, closing(sqlite3.connect(target)) as writing:
        reading.backup(writing)
    as_one_file(target)


def as_one_file(file: Path) -> None:
    """Move everything that is in a database's log into its file, and do without a log."""
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")


def examine(file: Path) -> str:
    """Return the revision of a sound database's tables; raises DamagedError with the fault."""
    try:
        with _reading(file) as connection:
            (fault,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
            if fault != "ok":
                raise DamagedError(fault.splitlines()[-1])
            for table, *_ in connection.execute("PRAGMA foreign_key_check"):
                raise DamagedError(f"rows of the table {table} refer to rows that are not there")
            row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.Error as error:
        raise DamagedError(str(error)) from None
    if row is None:
        raise DamagedError("the revision of its tables is not noted")
    revision: str = row[0]
    return revision


def quick_fault(file: Path, begun: Callable[[sqlite3.Connection], None]) -> str | None:
    """Return a fault in a database's structure, or None where there is none.

    ``begun`` is given the connection, of which another thread may interrupt the work. Raises
    sqlite3.Error.
    """
    with _reading(file) as connection:
        begun(connection)
        (version,) = connection.execute("PRAGMA schema_version").fetchone()
        if version == 0:
            return "it holds nothing"
        (fault,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    return None if fault == "ok" else str(fault.splitlines()[-1])


def is_cut(file: Path) -> bool:
    """Tell whether a file, without its log, has fewer pages than its header says.

    It reads the header alone, and waits for nobody. SQLite writes the header before it cuts a file.
    """
    try:
        with _reading(file, "&immutable=1") as connection:
            (pages,) = connection.execute("PRAGMA page_count").fetchone()
    except sqlite3.Error:
        return True
    return bool(pages == 0)


@contextmanager
def _reading(file: Path, options: str = "") -> Iterator[sqlite3.Connection]:
    # SQLite's own connection: to open and close the file would end the locks of all others.
    address = f"file:{quote(str(file.absolute()))}?mode=ro{options}"
    with closing(sqlite3.connect(address, uri=True)) as connection:
        yield connection
