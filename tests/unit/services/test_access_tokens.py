"""Access tokens: found while everything they hang on is alive, and deleted with it."""

from datetime import timedelta

import pytest
from sqlalchemy import delete, func, select, update

from authservice.crypto.server_secret import ServerSecret
from authservice.models import oauth_access_token, oauth_client, oauth_refresh_token, session
from authservice.services.tokens import access_tokens, grants, refresh_tokens
from tests.helpers.granted import add_access, give_access

API = "https://api.example.com"
PROFILE = {"userinfo": ["name"], "id_token": []}


@pytest.fixture
def store(connection, people, turnable_clock):
    """Store an access token of Ada's with its grant; changes are those of the grant's columns."""

    def store(token, **changes):
        columns = {
            "client_id": people.client_id,
            "session_id": people.ada.id,
            "user_id": people.ada.user.id,
            "authorization_code_id": "code-1",
            **changes,
        }
        return give_access(connection, token, turnable_clock.moment + timedelta(hours=1), **columns)

    return store


@pytest.fixture
def family(connection, people, turnable_clock):
    """Return the id of a family of Ada's."""
    return refresh_tokens.start_family(
        connection,
        ServerSecret(b"s" * 32),
        lifetime=timedelta(days=1),
        family_lifetime=timedelta(days=1),
        client_id=people.client_id,
        session_id=people.ada.id,
        user_id=people.ada.user.id,
        authorization_code_id=None,
        auth_time=turnable_clock.moment,
        scopes=("openid", "profile"),
        resources=(API, "https://other.example.com"),
        requested_claims=PROFILE,
    ).id


@pytest.fixture
def add(connection, family, turnable_clock):
    """Store an access token of the family."""

    def add(token, **narrower):
        moment = turnable_clock.moment + timedelta(hours=1)
        add_access(connection, token, family, moment, **narrower)

    return add


def _left(connection, *tokens):
    return [token for token in tokens if access_tokens.find(connection, token) is not None]


def _count(connection, table):
    return connection.scalar(select(func.count()).select_from(table))


def _end_adas_session(connection, people, turnable_clock):
    connection.execute(
        update(session)
        .where(session.c.id == people.ada.id)
        .values(expires_at=turnable_clock.moment)
    )


def test_a_token_stands_for_what_was_granted(connection, store, people, turnable_clock):
    store("a", scopes=("openid", "email"), resources=(API,), requested_claims=PROFILE)

    found = access_tokens.find_of_user(connection, "a")
    assert found.user == people.ada.user
    assert found.sub == people.ada.user.id
    assert (found.client_id, found.session_id) == (people.client_id, people.ada.id)
    assert found.expires_at - found.created_at == timedelta(hours=1)
    assert found.created_at == turnable_clock.moment
    assert list(found.scopes) == ["openid", "email"]
    assert list(found.resources) == [API]
    assert found.requested_claims == PROFILE
    assert access_tokens.find(connection, "b") is None


def test_a_token_may_be_for_less_than_was_granted(connection, add):
    nothing = {"userinfo": [], "id_token": []}
    add("a", scopes=("openid",), resources=(API,), requested_claims=nothing)

    found = access_tokens.find_of_user(connection, "a")
    assert list(found.scopes) == ["openid"]
    assert list(found.resources) == [API]
    assert found.requested_claims == nothing


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

    _end_adas_session(connection, people, turnable_clock)

    assert _left(connection, "a", "b", "c") == ["b", "c"]


def test_those_of_a_grant_that_leaves_its_session_have_ended_with_that(
    connection, add, family, people, turnable_clock
):
    add("a")
    _end_adas_session(connection, people, turnable_clock)

    grants.leave_session(connection, family, people.ada.id)
    add("b")
    # As a second request does, which has seen the session at the same time.
    grants.leave_session(connection, family, people.ada.id)

    assert _left(connection, "a", "b") == ["b"]
    assert access_tokens.find(connection, "b").session_id is None


def test_it_is_worth_nothing_while_its_client_is_disabled(subtests, connection, store, people):
    store("a")

    for disabled, left in ((True, []), (False, ["a"]), (None, ["a"])):
        with subtests.test(disabled=disabled):
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


def test_one_is_deleted_by_itself_and_with_a_grant_that_has_no_other(connection, store):
    store("a")
    store("b")

    access_tokens.delete_one(connection, access_tokens.find(connection, "a"))

    assert _left(connection, "a", "b") == ["b"]
    assert _count(connection, oauth_refresh_token) == 1


def test_one_that_is_deleted_leaves_the_family_and_its_others(connection, add):
    add("a")
    add("b")

    access_tokens.delete_one(connection, access_tokens.find(connection, "a"))

    assert _left(connection, "a", "b") == ["b"]
    assert _count(connection, oauth_refresh_token) == 1


def test_those_of_a_grant_are_deleted_when_their_time_is_over(
    connection, add, store, family, turnable_clock
):
    store("of another")
    add("a")
    turnable_clock.advance(minutes=1)
    add("b")
    turnable_clock.advance(minutes=59)

    access_tokens.delete_expired(connection, family)

    assert _count(connection, oauth_access_token) == 2
    assert _left(connection, "a", "b") == ["b"]


def test_those_of_grants_are_deleted_and_a_grant_without_a_refresh_token_too(
    connection, add, store, family
):
    add("a")
    alone = store("b")
    store("c")

    grants.delete_access(connection, oauth_refresh_token.c.id.in_([family, alone]))

    assert _left(connection, "a", "b", "c") == ["c"]
    assert _count(connection, oauth_access_token) == 1
    assert _count(connection, oauth_refresh_token) == 2


def test_those_that_open_what_was_declined_are_deleted(connection, add, store, people):
    add("family's", scopes=("openid",))
    add("less", scopes=("openid",), requested_claims={"userinfo": [], "id_token": []})
    store("email's", scopes=("openid", "email"))
    store("other's", scopes=("openid", "email"), client_id=people.other_client_id)
    store("openid's")
    person = people.ada.user.id, people.client_id

    access_tokens.delete_holding(connection, *person, {"email", "profile"}, {"name"})

    tokens = ("family's", "less", "email's", "other's", "openid's")
    assert _left(connection, *tokens) == ["less", "other's", "openid's"]
    # That of the family stays.
    assert _count(connection, oauth_refresh_token) == 3
