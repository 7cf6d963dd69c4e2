"""Resources per client, added to a database in use: what live tokens are for stays allowed."""

import json

import pytest
from sqlalchemy import text

from authservice.database import schema
from tests.helpers.earlier_rows import ROWS, insert, moment

BEFORE, AFTER = "0006", "0008"
CALENDAR = "https://calendar.example.com/"
FILES = "https://files.example.com/v1"
GONE = "https://gone.example.com/"


@pytest.fixture
def add(empty):
    """Add rows to a database as it was before: two people, two clients, consents of both."""
    schema.migrate(empty, BEFORE)

    def put(table, **values):
        with empty.transaction() as connection:
            insert(connection, table, values)

    for user in ("ada", "bob"):
        address = f"{user}@example.com"
        put("user", **ROWS["user"] | {"id": user, "name": user, "email": address})
    for client in ("app", "other"):
        put("oauth_client", **ROWS["oauth_client"] | {"id": client, "client_id": client})
        for user in ("ada", "bob"):
            consent = {"id": client + user, "client_id": client, "user_id": user}
            put("oauth_consent", **ROWS["oauth_consent"] | consent)
    return put


def token(add, table, name, client, user, *resources, **changes):
    row = {"id": name, "token": name, "client_id": client, "user_id": user}
    row |= {"scopes": '["openid"]', "expires_at": moment(hours=1), "created_at": 1}
    if table == "oauth_refresh_token":
        row |= {"family_id": name, "family_expires_at": moment(days=1)}
    add(table, **row | {"resources": json.dumps(resources)} | changes)


def resources_of(database, table, *names):
    rows = database.reader.execute(text(f"SELECT * FROM {table}")).mappings()
    return {
        tuple(row[name] for name in names): row["resources"] and json.loads(row["resources"])
        for row in rows
    }


@pytest.mark.attack("TOKENS-unregistered-resource")
def test_clients_and_consents_get_what_their_live_tokens_are_for(empty, add):
    refresh, access = "oauth_refresh_token", "oauth_access_token"
    token(add, refresh, "1", "app", "ada", FILES)
    token(add, access, "2", "app", "ada", CALENDAR, FILES)
    token(add, access, "3", "app", "bob", CALENDAR)
    token(add, refresh, "4", "other", "bob", GONE, expires_at=moment(seconds=-1))
    token(add, refresh, "5", "other", "bob", GONE, revoked=1)
    token(add, refresh, "6", "other", "bob", GONE, rotated_at=1)
    token(add, access, "7", "other", "bob", GONE, expires_at=moment(seconds=-1))
    token(add, access, "8", "other", "ada", resources=None)

    schema.migrate(empty, AFTER)

    assert resources_of(empty, "oauth_client", "client_id") == {
        ("app",): [CALENDAR, FILES],
        ("other",): None,
    }
    assert resources_of(empty, "oauth_consent", "client_id", "user_id") == {
        ("app", "ada"): [CALENDAR, FILES],
        ("app", "bob"): [CALENDAR],
        ("other", "ada"): None,
        ("other", "bob"): None,
    }
