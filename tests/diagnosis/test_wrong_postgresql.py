"""What ``authservice check`` finds of a database on a PostgreSQL server."""

import signal
from pathlib import Path

import pytest

from authservice.database import schema
from authservice.database.database import Database
from tests.diagnosis.machine import finds, is_in_order
from tests.helpers.parts import program
from tests.helpers.processes import Process
from tests.services.postgresql_server import QUICK, PostgreSQLServer

SETTING = "auth.database_url"


@pytest.fixture(scope="module")
def server():
    started = PostgreSQLServer(**QUICK)
    started.execute("CREATE DATABASE migrated")
    database = Database(started.url("migrated"))
    schema.migrate(database)
    database.dispose()
    started.execute("CREATE ROLE newcomer LOGIN PASSWORD 'right'")
    yield started
    started.close()


def test_production_on_postgresql(machine, server):
    machine.environ(AUTH_DATABASE_URL=server.url("migrated"))

    assert is_in_order(machine) == {"file"}


def test_a_server_that_is_stopped(machine, server):
    server.stop()
    try:
        machine.environ(AUTH_DATABASE_URL=server.url("migrated"))

        finds(machine, ("database.unreachable", SETTING))
    finally:
        server.start()


def test_a_database_that_nobody_has_made(machine, server):
    machine.environ(AUTH_DATABASE_URL=server.url("authservice"))

    finds(machine, ("database.none", SETTING))


def test_a_user_whom_the_server_does_not_know(machine, server):
    machine.environ(AUTH_DATABASE_URL=server.url("migrated", user="stranger"))

    finds(machine, ("database.login", SETTING))


def test_a_database_without_tables(machine, server):
    server.execute("CREATE DATABASE empty")
    machine.environ(AUTH_DATABASE_URL=server.url("empty"))

    finds(machine, ("database.not_migrated", SETTING))


def test_a_database_in_another_encoding(machine, server):
    server.execute("CREATE DATABASE ascii ENCODING SQL_ASCII LOCALE 'C' TEMPLATE template0")
    machine.environ(AUTH_DATABASE_URL=server.url("ascii"))

    finds(machine, ("database.encoding", SETTING))


def test_a_user_who_may_not_read_the_tables(machine, server):
    machine.environ(AUTH_DATABASE_URL=server.url("migrated", user="newcomer"))

    finds(machine, ("database.rights", SETTING))


def test_a_server_that_only_replicates(machine, server):
    server.stop()
    standby = Path(server.folder, "data", "standby.signal")
    standby.touch()
    replica = Process(
        [
            *(program("postgres"), "-D", standby.parent, "-p", server.port),
            *("-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="),
            # No fewer than the primary had, or it does not start.
            *("-c", f"max_connections={QUICK['max_connections']}"),
        ],
        ready="ready to accept read-only connections",
        cwd=server.folder,
        **server._owner,
    )
    try:
        machine.environ(AUTH_DATABASE_URL=server.url("migrated"))

        finds(machine, ("database.read_only", SETTING))
    finally:
        replica.stop(signal.SIGINT)
        standby.unlink()
        server.start()
