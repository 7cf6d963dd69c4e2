"""Many signed-in people at once, written straight into a migrated database."""

import random
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Table, insert

from authservice.db import Database
from authservice.services import client_registration
from authservice.services.client_metadata import ClientMetadata
from bench import people
from bench.deployment import REDIRECT_URI, Deployment
from bench.population import Client, Grant, Person, Population
from bench.session_cookies import SessionCookies

CLIENTS = 100
SAMPLE = 5000
_BATCH = 20_000


def seed(deployment: Deployment, users: int) -> Population:
    """Write so many people, each with account, session, consent and tokens of one client.

    Returns the population of a random sample of them.
    """
    with bulk(deployment, people.TABLES) as connection:
        clients = [_register(connection, number) for number in range(CLIENTS)]
        for first in range(0, users, _BATCH):
            numbers = range(first, min(first + _BATCH, users))
            insert_rows(
                connection,
                (
                    row
                    for number in numbers
                    for row in people.rows_of(number, clients[number % CLIENTS].client_id)
                ),
            )
    return _population(deployment, users, clients)


@contextmanager
def bulk(deployment: Deployment, tables: Iterable[Table]) -> Iterator[Connection]:
    """Give a transaction that fills tables quickly: their indexes are built once, at its end."""
    indexes = [index for table in tables for index in table.indexes]
    database = Database(deployment.database_url, synchronous="OFF")
    try:
        with database.transaction() as connection:
            for index in indexes:
                index.drop(connection)
            yield connection
            for index in indexes:
                index.create(connection)
        if not database.is_sqlite:
            # In operation PostgreSQL does this by itself, some time after so many changes.
            with database.writer.execution_options(isolation_level="AUTOCOMMIT").connect() as own:
                own.exec_driver_sql("VACUUM ANALYZE")
    finally:
        database.dispose()


def insert_rows(connection: Connection, rows: Iterable[tuple[Table, dict[str, Any]]]) -> None:
    """Insert rows, those of each table together."""
    found: dict[Table, list[dict[str, Any]]] = {}
    for table, row in rows:
        found.setdefault(table, []).append(row)
    for table, of_table in found.items():
        connection.execute(insert(table), of_table)


def _register(connection: Connection, number: int) -> Client:
    metadata = ClientMetadata(name=f"Application {number}", redirect_uris=[REDIRECT_URI])
    client_id, secret = client_registration.register(connection, metadata)
    return Client(client_id, str(secret), REDIRECT_URI)


def _population(deployment: Deployment, users: int, clients: list[Client]) -> Population:
    cookies = SessionCookies(deployment.environment)
    signed_in = []
    grants = []
    for number in random.sample(range(users), min(users, SAMPLE)):
        client = clients[number % CLIENTS]
        user_id = people.id_of("user", number)
        session_id = people.id_of("session", number)
        header = cookies.header(session_id, people.token_of("session", number))
        signed_in.append(Person(user_id, header, client))
        tokens = (people.token_of(kind, number) for kind in ("access", "refresh"))
        grants.append(Grant(user_id, client, *tokens))
    return Population(deployment.host, signed_in, grants)
