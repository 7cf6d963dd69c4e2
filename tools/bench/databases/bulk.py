"""Many rows at once, written straight into a migrated database."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

from sqlalchemy import Connection, Table, insert

from authservice.database.database import Database
from authservice.database.transaction import Transaction
from authservice.models import metadata

_BATCH = 100_000


@contextmanager
def filling(database_url: str, tables: Iterable[Table]) -> Iterator[Transaction]:
    """Give a transaction that fills tables quickly: their indexes are built once, at its end."""
    indexes = [index for table in tables for index in table.indexes]
    database = Database(database_url, synchronous="OFF")
    try:
        with database.begin() as transaction:
            for index in indexes:
                index.drop(transaction.connection)
            yield transaction
            for index in indexes:
                index.create(transaction.connection)
        if not database.is_sqlite:
            # In operation PostgreSQL does this by itself, some time after so many changes.
            with database.writer.execution_options(isolation_level="AUTOCOMMIT").connect() as own:
                own.exec_driver_sql("VACUUM ANALYZE")
    finally:
        database.dispose()


def insert_rows(connection: Connection, rows: Iterable[tuple[Table, dict[str, Any]]]) -> int:
    """Insert rows of any tables and return how many they were."""
    remaining = iter(rows)
    number = 0
    while batch := list(islice(remaining, _BATCH)):
        number += len(batch)
        found: dict[Table, list[dict[str, Any]]] = {}
        for table, row in batch:
            found.setdefault(table, []).append(row)
        # A batch may begin in the middle of a person: what others refer to still comes first.
        for table in metadata.sorted_tables:
            if table in found:
                connection.execute(insert(table), found[table])
    return number


def size_of(database_url: str) -> int:
    """Return how many bytes the database takes, indexes included."""
    database = Database(database_url)
    statement = "SELECT pg_database_size(current_database())"
    if database.is_sqlite:
        statement = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
    try:
        return int(database.reader.exec_driver_sql(statement).scalar_one())
    finally:
        database.dispose()
