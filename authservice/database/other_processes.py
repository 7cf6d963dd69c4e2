"""Other processes that have the database open, for which a migration may take the tables away."""

from pathlib import Path

from authservice.database import schema
from authservice.database.database import Database
from authservice.database.postgresql.engines import others_connected
from authservice.database.sqlite.replacement import users


def excluded(database: Database, target: str) -> list[str]:
    """Return the other processes that have the database open and that a revision does not serve.

    A process that does not say its revision counts as made for the present tables. On SQLite none
    says it. Raises MigrationsMissingError.
    """
    if schema.sqlite_file_is_missing(database):
        return []
    current = schema.revision(database.reader)
    if current is None or schema.is_newer(current) or current == target:
        return []
    since = schema.works_since(target)
    if not database.is_sqlite:
        return [
            str(other)
            for other in others_connected(database.reader)
            if not since <= (other.revision or current) <= target
        ]
    if since <= current <= target:
        return []
    # This process would lose its own lock on a file that it has open.
    database.dispose()
    return users(Path(str(database.url.database)))
