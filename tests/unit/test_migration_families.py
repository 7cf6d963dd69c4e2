"""One row for a family, made of a row for each token: what was rotated in time stays known."""

from datetime import timedelta

import pytest
from sqlalchemy import text

from authservice.crypto.secret_values import digest
from authservice.crypto.server_secret import ServerSecret
from authservice.crypto.token_sealing import seal_under
from authservice.database import schema
from authservice.services.tokens import refresh_tokens
from authservice.services.tokens.refresh_tokens import State
from tests.helpers.earlier_rows import ROWS, content, insert, moment

BEFORE, AFTER = "0009", "0010"
GRACE = timedelta(seconds=10)
SECRET = ServerSecret(b"s" * 32)


@pytest.fixture
def database(empty):
    """A database as the version before made it, with a person, a session and a client."""
    schema.migrate(empty, BEFORE)
    with empty.transaction() as connection:
        for table in ("user", "session", "oauth_client"):
            insert(connection, table, ROWS[table])
    return empty


def family(database, *tokens, revoked=None):
    """Store a family whose tokens were rotated an hour ago, but the last two a moment ago."""
    ages = [{"hours": -1}] * (len(tokens) - 3) + [{"seconds": -2}, {"seconds": -1}]
    with database.transaction() as connection:
        for number, token in enumerate(tokens):
            last = number == len(tokens) - 1
            rotated = None if last else moment(**ages[-len(tokens) + 1 :][number])
            sealed = not last and number >= len(tokens) - 3 and not revoked
            row = {
                "id": token * 32,
                "token": digest(token),
                "family_id": tokens[0] * 32,
            }
            row |= {"expires_at": moment(days=1), "family_expires_at": moment(days=9)}
            row |= {"rotated_at": rotated, "revoked": revoked, "created_at": moment(days=-2)}
            row |= {"successor": seal_under(token, tokens[number + 1]) if sealed else None}
            row |= {"authorization_code_id": f"code of {tokens[0]}"}
            insert(connection, "oauth_refresh_token", ROWS["oauth_refresh_token"] | row)
            access = {"id": f"a {token}", "token": f"a {token}", "refresh_id": token * 32}
            insert(connection, "oauth_access_token", ROWS["oauth_access_token"] | access)


def state(database, token):
    found = refresh_tokens.find(database.reader, SECRET, token)
    return found and refresh_tokens.state_of(found, GRACE)


def rotated(database, token):
    with database.begin() as transaction:
        found = refresh_tokens.find(transaction.connection, SECRET, token)
        return refresh_tokens.rotate(
            transaction, SECRET, token, found, lifetime=timedelta(days=1), grace=GRACE
        )


def test_each_family_is_one_row_and_all_its_tokens_are_known(database):
    family(database, "a", "b", "c", "d")
    family(database, "x")
    family(database, "r", "s", revoked=5)

    schema.migrate(database)

    assert len(content(database, "oauth_refresh_token")) == 3
    (of_family,) = {
        row["refresh_id"]
        for row in content(database, "oauth_access_token")
        if row["id"][2] in "abcd"
    }
    assert of_family == "d" * 32
    assert {token: state(database, token) for token in "abcdxrs"} == {
        "a": State.REPLAYED,
        "b": State.USABLE,
        "c": State.USABLE,
        "d": State.USABLE,
        "x": State.USABLE,
        "r": State.REVOKED,
        "s": State.REVOKED,
    }
    assert [rotated(database, token).token for token in "bc"] == ["c", "d"]
    assert rotated(database, "d").token.startswith("d" * 32)


def test_a_code_that_is_replayed_still_ends_what_came_of_it(database):
    family(database, "a", "b", "c")
    schema.migrate(database)

    with database.transaction() as connection:
        refresh_tokens.revoke_of_code(connection, "code of a")

    assert [state(database, token) for token in "abc"] == [State.REVOKED] * 3
    assert content(database, "oauth_access_token") == []


def test_what_a_clean_up_has_left_of_a_family_goes(database):
    family(database, "a", "b")
    with database.transaction() as connection:
        connection.execute(
            text("DELETE FROM oauth_access_token WHERE refresh_id = :id"), {"id": "b" * 32}
        )
        connection.execute(text("DELETE FROM oauth_refresh_token WHERE id = :id"), {"id": "b" * 32})

    schema.migrate(database)

    assert content(database, "oauth_refresh_token") == []
    assert content(database, "oauth_access_token") == []


def test_the_way_back_leaves_the_version_before_what_it_can_use(database):
    family(database, "a", "b", "c", "d")
    schema.migrate(database)
    newer = rotated(database, "d").token

    schema.migrate(database, BEFORE)

    rows = {row["token"]: row for row in content(database, "oauth_refresh_token")}
    assert set(rows) == {digest(token) for token in ("a", "b", "c", "d", newer)}
    assert {row["family_id"] for row in rows.values()} == {"d" * 32}
    assert [row["id"] for row in rows.values() if row["rotated_at"] is None] == ["d" * 32]
    assert rows[digest(newer)]["id"] == "d" * 32
    kept = {token for token, row in rows.items() if row["successor"]}
    assert kept == {digest(token) for token in "bcd"}
    schema.migrate(database)
    assert [state(database, token) for token in ("a", "d", newer)] == [
        State.REPLAYED,
        State.USABLE,
        State.USABLE,
    ]
