"""The file of a database, brought into the page cache of the system.

Machines that hand back memory that was not used for a while, as virtual ones do, would have a case
wait for the disk that the one before it left in peace.
"""

from pathlib import Path

from sqlalchemy import make_url

_AT_ONCE = 16 * 1024 * 1024


def read_through(database_url: str) -> None:
    """Read a file of SQLite from beginning to end; a server keeps a cache of its own."""
    url = make_url(database_url)
    if url.get_backend_name() != "sqlite" or not url.database:
        return
    with Path(url.database).open("rb", buffering=0) as file:
        while file.read(_AT_ONCE):
            pass
