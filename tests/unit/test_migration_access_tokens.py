"""Access tokens under their digests, each with its grant: what each one opened it opens still."""

import pytest
from sqlalchemy import text

from authservice.crypto.secret_values import digest
from authservice.database import schema
from authservice.database.revision import REVISION
from authservice.services.tokens import access_tokens, refresh_tokens
from tests.helpers.earlier_rows import ROWS, content, insert, moment

# Tokens are read as this version of the service does, from all tables that it has.
BEFORE, AFTER = "0009", REVISION
API = '["https://api.example.com"]'


@pytest.fixture
def database(empty):
    """A database as the version before made it, with a person, a session, a client, a family."""
    schema.migrate(empty, BEFORE)
    with empty.transaction() as connection:
        for table in ("user", "session", "oauth_client"):
            insert(connection, table, ROWS[table])
        connection.execute(text("UPDATE session SET expires_at = :end"), {"end": moment(days=1)})
        dates = {"expires_at": moment(days=1), "family_expires_at": moment(days=9)}
        insert(connection, "oauth_refresh_token", ROWS["oauth_refresh_token"] | dates)
    return empty


def add(database, token, **columns):
    row = {"id": f"id of {token}", "token": digest(token), "expires_at": moment(hours=1)}
    row |= {"refresh_id": None, "requested_claims": '{"userinfo":["name"],"id_token":[]}'}
    with database.transaction() as connection:
        insert(connection, "oauth_access_token", ROWS["oauth_access_token"] | row | columns)


def left(database, *tokens):
    return [each for each in tokens if access_tokens.find(database.reader, each) is not None]


def test_one_without_a_refresh_token_gets_a_grant(database):
    add(database, "alone", resources=API, authorization_code_id="code", reference_id="team")
    before = access_of(database)

    schema.migrate(database, AFTER)

    found = access_tokens.find(database.reader, "alone")
    assert (found.user.id, found.client_id, found.session_id) == ("u", "client", "s")
    assert (found.scopes, found.resources) == (("openid",), ("https://api.example.com",))
    assert found.requested_claims == {"userinfo": ["name"], "id_token": []}
    schema.migrate(database, BEFORE)
    assert access_of(database) == before
    assert [row["id"] for row in content(database, "oauth_refresh_token")] == ["r"]


def access_of(database):
    """Return the rows of access tokens without their ids, which say nothing."""
    rows = content(database, "oauth_access_token")
    return [{name: value for name, value in row.items() if name != "id"} for row in rows]


def test_one_of_a_family_belongs_to_it(database):
    add(database, "a", refresh_id="r", resources=API)
    before = access_of(database)

    schema.migrate(database, AFTER)

    assert access_tokens.find(database.reader, "a").grant_id == "r"
    assert len(content(database, "oauth_refresh_token")) == 1
    schema.migrate(database, BEFORE)
    assert access_of(database) == before


def test_a_code_that_is_replayed_still_ends_what_it_gave(database):
    add(database, "alone", authorization_code_id="code")
    add(database, "other", authorization_code_id="other")
    schema.migrate(database, AFTER)

    with database.transaction() as connection:
        refresh_tokens.revoke_of_code(connection, "code")

    assert left(database, "alone", "other") == ["other"]


def test_one_that_outlives_the_session_does_so_and_no_other(database):
    add(database, "of the session", refresh_id="r")
    add(database, "without", refresh_id="r", session_id=None)
    with database.transaction() as connection:
        connection.execute(text("UPDATE session SET expires_at = 2"))

    schema.migrate(database, AFTER)

    assert left(database, "of the session", "without") == ["without"]


def test_nothing_that_a_session_gave_outlives_it(database):
    add(database, "of the family", refresh_id="r")
    add(database, "alone")
    schema.migrate(database, AFTER)
    assert left(database, "of the family", "alone") == ["of the family", "alone"]

    with database.transaction() as connection:
        connection.execute(text("UPDATE session SET expires_at = 2"))

    assert left(database, "of the family", "alone") == []
