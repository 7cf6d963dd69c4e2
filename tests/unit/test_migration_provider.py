"""The second migration, on a database in use: what was there stays, both ways."""

from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import inspect, text

from authservice.database import schema
from authservice.models import metadata

ROOT = Path(__file__).parents[2]
LATER_DROPPED = {
    "oauth_refresh_token": {"family_id", "successor"},
    # What the row of its grant says.
    "oauth_access_token": {
        "token",
        "client_id",
        "session_id",
        "user_id",
        "reference_id",
        "authorization_code_id",
    },
}
NEW_TABLES = {"logout_notice", "session_participant"}
NEW_CLIENT_COLUMNS = {
    "id_token_signed_response_alg",
    "userinfo_signed_response_alg",
    "minimal_id_token",
    "backchannel_logout_uri",
    "previous_client_secret",
    "previous_client_secret_expires_at",
}
NEW_TOKEN_COLUMNS = {"resources", "requested_claims"}
# One row of each table as the first migration made it, parents first.
ROWS = {
    "user": {"id": "u", "name": "Ada", "email": "ada@example.com", "email_verified": 1},
    "session": {"id": "s", "token": "t", "user_id": "u", "expires_at": 9},
    "oauth_client": {"id": "c", "client_id": "client", "redirect_uris": "[]", "scopes": None},
    "oauth_refresh_token": {
        "id": "r",
        "token": "rt",
        "client_id": "client",
        "session_id": "s",
        "user_id": "u",
        "expires_at": 9,
        "scopes": '["openid"]',
        "family_id": "r",
        "family_expires_at": 9,
    },
    "oauth_access_token": {
        "id": "a",
        "token": "at",
        "client_id": "client",
        "session_id": "s",
        "user_id": "u",
        "refresh_id": "r",
        "expires_at": 9,
        "scopes": '["openid"]',
    },
    "oauth_consent": {"id": "o", "client_id": "client", "user_id": "u", "scopes": '["openid"]'},
}
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


def insert(connection, table, row):
    """Insert a row, dates that are not given being 1."""
    required = {
        column["name"]: 1
        for column in inspect(connection).get_columns(table)
        if not column["nullable"] and column["name"] not in row
    }
    values = required | row
    names = ", ".join(values)
    places = ", ".join(f":{name}" for name in values)
    connection.execute(text(f'INSERT INTO "{table}" ({names}) VALUES ({places})'), values)


def content(database, table):
    return [
        dict(row) for row in database.reader.execute(text(f'SELECT * FROM "{table}"')).mappings()
    ]


def everything(database):
    return {table: content(database, table) for table in ROWS}


def columns(database, table):
    return {column["name"] for column in inspect(database.reader).get_columns(table)}


def downgrade(database, revision):
    config = Config()
    config.set_main_option("script_location", str(ROOT / "alembic"))
    with database.transaction() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, revision)


def test_it_keeps_every_row_and_leaves_the_new_columns_unset(database):
    before = everything(database)

    schema.migrate(database, "0002")

    added = {
        "oauth_client": NEW_CLIENT_COLUMNS,
        "oauth_refresh_token": NEW_TOKEN_COLUMNS,
        "oauth_access_token": NEW_TOKEN_COLUMNS,
    }
    for table, (row,) in everything(database).items():
        assert row == before[table][0] | dict.fromkeys(added.get(table, ()))
    for table in NEW_TABLES:
        assert content(database, table) == []


def test_undoing_it_keeps_every_row_and_takes_away_what_it_added(database):
    before = everything(database)
    schema.migrate(database, "0002")
    with database.transaction() as connection:
        for table, row in QUEUE.items():
            insert(connection, table, row)
        connection.execute(text("UPDATE oauth_client SET backchannel_logout_uri = 'https://x/'"))
        connection.execute(text("UPDATE oauth_access_token SET resources = '[]'"))

    downgrade(database, "0001")

    assert everything(database) == before
    assert not NEW_TABLES & set(inspect(database.reader).get_table_names())
    assert not schema.is_migrated(database.reader)


def test_it_can_be_done_again_after_it_was_undone(database):
    schema.migrate(database, "0002")
    downgrade(database, "0001")

    schema.migrate(database, "0002")

    for table in (*ROWS, *NEW_TABLES):
        expected = {column.name for column in metadata.tables[table].columns}
        expected |= LATER_DROPPED.get(table, set())
        assert columns(database, table) <= expected
    assert columns(database, "oauth_client") >= NEW_CLIENT_COLUMNS


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
