"""The queue of logout notices, as the second migration makes it."""

import pytest
from sqlalchemy import inspect, text

from authservice.database import schema
from tests.helpers.earlier_rows import ROWS, insert

QUEUE = {
    "session_participant": {"id": "p", "session_id": "s", "client_id": "client"},
    "logout_notice": {
        "id": "n",
        "client_id": "client",
        "user_id": "u",
        "session_id": "s",
        "created_at": 1,
        "due_at": 1,
        "attempts": 0,
    },
}


@pytest.fixture
def database(empty):
    """A database as the first migration made it, with a row in each table."""
    schema.migrate(empty, "0001")
    with empty.transaction() as connection:
        for table, row in ROWS.items():
            insert(connection, table, row)
    return empty


def test_a_notice_outlives_its_session_but_not_its_client(subtests, database):
    schema.migrate(database, "0002")
    for deleted, notices in (("session", 1), ('"user"', 1), ("oauth_client", 0)):
        # Closing it undoes what was not committed.
        with subtests.test(deleted=deleted), database.writer.connect() as connection:
            for table, row in QUEUE.items():
                insert(connection, table, row)
            connection.execute(text(f"DELETE FROM {deleted}"))

            count = text("SELECT count(*) FROM logout_notice")
            assert connection.scalar(count) == notices
            count = text("SELECT count(*) FROM session_participant")
            assert connection.scalar(count) == 0


def test_lookup_columns_of_the_queue_are_indexed(database):
    schema.migrate(database, "0002")

    inspector = inspect(database.reader)
    indexed = {tuple(index["column_names"]) for index in inspector.get_indexes("logout_notice")}
    assert indexed == {("client_id",), ("due_at",)}
    indexed = {index["column_names"][0] for index in inspector.get_indexes("session_participant")}
    (unique,) = inspector.get_unique_constraints("session_participant")
    assert "client_id" in indexed
    assert unique["column_names"] == ["session_id", "client_id"]
