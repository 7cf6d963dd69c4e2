"""Rows in tables as earlier migrations made them."""

from datetime import timedelta

from sqlalchemy import inspect, text

from authservice import clock

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


def moment(**since):
    """Return a moment from now as the database keeps it, in milliseconds."""
    return int((clock.now() + timedelta(**since)).timestamp() * 1000)


def content(database, table):
    return [
        dict(row) for row in database.reader.execute(text(f'SELECT * FROM "{table}"')).mappings()
    ]
