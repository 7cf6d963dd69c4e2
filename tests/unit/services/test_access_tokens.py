"""Access tokens: found while everything they hang on is alive, and deleted with it."""

from datetime import timedelta

import pytest
from sqlalchemy import delete, select, update

from authservice.models import oauth_access_token, oauth_client, session
from authservice.services import access_tokens, refresh_tokens


@pytest.fixture
def store(connection, people, turnable_clock):
    """Store an access token of Ada's; changes are those of its columns."""

    def store(token, **changes):
        columns = {
            "client_id": people.client_id,
            "session_id": people.ada.id,
            "user_id": people.ada.user.id,
            "refresh_id": None,
            "authorization_code_id": "code-1",
            "expires_at": turnable_clock.moment + timedelta(hours=1),
            "scopes": ("openid",),
            "resources": None,
            "requested_claims": None,
        }
        access_tokens.store(connection, token, **(columns | changes))

    return store


def _left(connection, *tokens):
    return [token for token in tokens if access_tokens.find(connection, token) is not None]


def test_a_token_stands_for_what_was_granted(connection, store, people, turnable_clock):
    store("a", scopes=("openid", "email"), resources=("https://api.example.com",))

    found = access_tokens.find(connection, "a")
    assert found.user == people.ada.user
    assert (found.client_id, found.session_id) == (people.client_id, people.ada.id)
    assert found.expires_at - found.created_at == timedelta(hours=1)
    assert found.created_at == turnable_clock.moment
    assert list(found.scopes) == ["openid", "email"]
    assert list(found.resources) == ["https://api.example.com"]
    assert access_tokens.find(connection, "b") is None


def test_the_token_itself_is_not_stored(connection, store):
    store("a")

    assert "a" not in connection.execute(select(oauth_access_token)).one()


def test_it_ends_when_its_time_is_over(connection, store, turnable_clock):
    store("a")
    turnable_clock.advance(minutes=59)
    assert _left(connection, "a") == ["a"]

    turnable_clock.advance(minutes=1)

    assert _left(connection, "a") == []


def test_it_ends_with_its_session_alone(connection, store, people, turnable_clock):
    store("a")
    store("b", session_id=people.bob.id, user_id=people.bob.user.id)
    store("c", session_id=None)

    connection.execute(
        update(session)
        .where(session.c.id == people.ada.id)
        .values(expires_at=turnable_clock.moment)
    )

    assert _left(connection, "a", "b", "c") == ["b", "c"]


@pytest.mark.parametrize(("disabled", "left"), [(True, []), (False, ["a"]), (None, ["a"])])
def test_it_is_worth_nothing_while_its_client_is_disabled(
    connection, store, people, disabled, left
):
    store("a")

    connection.execute(
        update(oauth_client)
        .where(oauth_client.c.client_id == people.client_id)
        .values(disabled=disabled)
    )

    assert _left(connection, "a") == left


def test_it_is_gone_with_its_client(connection, store, people):
    store("a")
    store("b", client_id=people.other_client_id)

    connection.execute(delete(oauth_client).where(oauth_client.c.client_id == people.client_id))

    assert _left(connection, "a", "b") == ["b"]


def test_one_is_deleted_by_itself(connection, store):
    store("a")
    store("b")

    access_tokens.delete_one(connection, access_tokens.find(connection, "a").id)

    assert _left(connection, "a", "b") == ["b"]


def test_those_of_a_code_are_deleted(connection, store):
    store("a")
    store("b", authorization_code_id="code-2")

    access_tokens.delete_of_code(connection, "code-1")

    assert _left(connection, "a", "b") == ["b"]


def test_those_of_a_refresh_token_are_deleted(connection, store, people, turnable_clock):
    row_id = refresh_tokens.start_family(
        connection,
        "r",
        lifetime=timedelta(days=1),
        family_lifetime=timedelta(days=1),
        client_id=people.client_id,
        session_id=None,
        user_id=people.ada.user.id,
        authorization_code_id=None,
        auth_time=turnable_clock.moment,
        scopes=(),
        resources=(),
        requested_claims=None,
    )
    store("a", refresh_id=row_id)
    store("b")

    access_tokens.delete_of_refresh_tokens(connection, [row_id])

    assert _left(connection, "a", "b") == ["b"]


def test_those_of_a_person_are_deleted_of_one_client_or_of_all(connection, store, people):
    store("a")
    store("b", client_id=people.other_client_id)
    store("c", user_id=people.bob.user.id, session_id=people.bob.id)

    access_tokens.delete_of_user(connection, people.ada.user.id, people.client_id)
    assert _left(connection, "a", "b", "c") == ["b", "c"]

    access_tokens.delete_of_user(connection, people.ada.user.id)
    assert _left(connection, "a", "b", "c") == ["c"]
