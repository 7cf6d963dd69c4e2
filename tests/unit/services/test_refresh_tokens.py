"""Refresh tokens: rotated once, found whatever their state, revoked by families."""

from datetime import timedelta

import pytest
from sqlalchemy import delete, select, update

from authservice.models import oauth_refresh_token, session
from authservice.services import access_tokens, refresh_tokens
from authservice.services.refresh_tokens import State

GRACE = timedelta(seconds=10)
LIFETIME = timedelta(days=7)
FAMILY_LIFETIME = timedelta(days=30)


@pytest.fixture
def start(connection, people, turnable_clock):
    """Start a family of Ada's; changes are those of its columns."""

    def start(token, lifetime=LIFETIME, family_lifetime=FAMILY_LIFETIME, **changes):
        columns = {
            "client_id": people.client_id,
            "session_id": people.ada.id,
            "user_id": people.ada.user.id,
            "authorization_code_id": "code-1",
            "auth_time": turnable_clock.moment - timedelta(hours=2),
            "scopes": ("openid", "offline_access"),
            "resources": ("https://api.example.com",),
            "requested_claims": {"id_token": ["name"]},
        }
        return refresh_tokens.start_family(
            connection,
            token,
            lifetime=lifetime,
            family_lifetime=family_lifetime,
            **(columns | changes),
        )

    return start


def _rotate(connection, presented, new, lifetime=LIFETIME):
    found = refresh_tokens.find(connection, presented)
    return refresh_tokens.rotate(connection, presented, found, new, lifetime=lifetime, grace=GRACE)


def _state(connection, token):
    return refresh_tokens.state_of(refresh_tokens.find(connection, token), GRACE)


def _successor_kept(connection, token):
    return refresh_tokens.find(connection, token).successor is not None


def test_a_token_stands_for_what_was_granted(connection, start, people, turnable_clock):
    row_id = start("a")

    found = refresh_tokens.find(connection, "a")
    assert found.user == people.ada.user
    assert (found.id, found.family_id) == (row_id, row_id)
    assert (found.client_id, found.session_id) == (people.client_id, people.ada.id)
    assert (found.user_id, found.authorization_code_id) == (people.ada.user.id, "code-1")
    assert found.created_at - found.auth_time == timedelta(hours=2)
    assert found.expires_at == turnable_clock.moment + LIFETIME
    assert found.family_expires_at == turnable_clock.moment + FAMILY_LIFETIME
    assert list(found.scopes) == ["openid", "offline_access"]
    assert list(found.resources) == ["https://api.example.com"]
    assert found.requested_claims == {"id_token": ["name"]}
    assert refresh_tokens.find(connection, "b") is None


def test_neither_the_token_nor_its_successor_is_stored(connection, start):
    start("token-a")
    _rotate(connection, "token-a", "token-b")

    stored = [value for row in connection.execute(select(oauth_refresh_token)) for value in row]
    assert not any(token in str(value) for value in stored for token in ("token-a", "token-b"))


def test_the_first_token_does_not_outlive_its_family(connection, start, turnable_clock):
    start("a", lifetime=timedelta(days=2), family_lifetime=timedelta(days=1))

    found = refresh_tokens.find(connection, "a")
    assert found.expires_at == turnable_clock.moment + timedelta(days=1)


def test_its_session_is_alive_until_it_has_expired_or_ended(
    connection, start, people, turnable_clock
):
    start("a")
    start("b", session_id=None)
    assert refresh_tokens.find(connection, "a").session_is_alive is True
    assert refresh_tokens.find(connection, "b").session_is_alive is False

    connection.execute(
        update(session)
        .where(session.c.id == people.ada.id)
        .values(expires_at=turnable_clock.moment)
    )

    assert refresh_tokens.find(connection, "a").session_is_alive is False


def test_a_successor_has_what_the_token_had(connection, start, people, turnable_clock):
    start("a")
    first = refresh_tokens.find(connection, "a")
    turnable_clock.advance(days=1)

    answered = _rotate(connection, "a", "b")

    second = refresh_tokens.find(connection, "b")
    assert (answered.token, answered.id) == ("b", second.id)
    assert answered.session_id == people.ada.id
    assert second.id != first.id
    assert second.created_at == turnable_clock.moment
    assert second.expires_at == turnable_clock.moment + LIFETIME
    for name in (
        *("client_id", "session_id", "user_id", "authorization_code_id", "auth_time", "scopes"),
        *("resources", "requested_claims", "family_id", "family_expires_at", "user"),
    ):
        assert getattr(second, name) == getattr(first, name), name


def test_a_successor_does_not_outlive_the_family(connection, start, turnable_clock):
    start("a", family_lifetime=timedelta(days=8))
    turnable_clock.advance(days=6)

    _rotate(connection, "a", "b")

    second = refresh_tokens.find(connection, "b")
    assert second.expires_at == second.family_expires_at


def test_a_retry_in_the_grace_gets_the_same_successor(connection, start, turnable_clock):
    start("a")
    first = _rotate(connection, "a", "b")
    turnable_clock.advance(seconds=10)

    assert _state(connection, "a") is State.USABLE
    assert _rotate(connection, "a", "c") == first
    assert refresh_tokens.find(connection, "c") is None


def test_a_retry_gets_nothing_when_the_successor_is_gone(connection, start):
    start("a")
    successor = _rotate(connection, "a", "b")
    connection.execute(delete(oauth_refresh_token).where(oauth_refresh_token.c.id == successor.id))

    assert _rotate(connection, "a", "c") is None


def test_a_use_after_the_grace_ends_the_family(connection, start, turnable_clock):
    start("a")
    start("other")
    _rotate(connection, "a", "b")
    turnable_clock.advance(seconds=11)

    assert _state(connection, "a") is State.REPLAYED
    assert _rotate(connection, "a", "c") is None
    assert _state(connection, "b") is State.REVOKED
    assert _state(connection, "other") is State.USABLE


def test_an_expired_token_is_not_rotated(connection, start, turnable_clock):
    start("a")
    turnable_clock.advance(days=7)

    assert _state(connection, "a") is State.EXPIRED
    assert _rotate(connection, "a", "b") is None
    assert refresh_tokens.find(connection, "b") is None


def test_a_retry_is_not_answered_past_the_end_of_the_family(connection, start, turnable_clock):
    start("a", family_lifetime=timedelta(seconds=5))
    _rotate(connection, "a", "b")
    turnable_clock.advance(seconds=5)

    assert _state(connection, "a") is State.EXPIRED
    assert _rotate(connection, "a", "c") is None


def test_a_retry_is_answered_past_the_end_of_the_token(connection, start, turnable_clock):
    start("a", lifetime=timedelta(seconds=5))
    first = _rotate(connection, "a", "b")
    turnable_clock.advance(seconds=6)

    assert _state(connection, "a") is State.USABLE
    assert _rotate(connection, "a", "c") == first


def test_successors_are_erased_when_nobody_may_retry(connection, start, turnable_clock):
    start("a")
    start("other")
    _rotate(connection, "other", "other-b")
    _rotate(connection, "a", "b")
    turnable_clock.advance(seconds=10)
    _rotate(connection, "b", "c")
    assert _successor_kept(connection, "a")
    turnable_clock.advance(seconds=1)

    _rotate(connection, "c", "d")

    assert not _successor_kept(connection, "a")
    assert _successor_kept(connection, "b")
    assert _successor_kept(connection, "other")


def _give_access(connection, people, token, refresh_id, moment):
    access_tokens.store(
        connection,
        token,
        client_id=people.client_id,
        session_id=None,
        user_id=people.ada.user.id,
        refresh_id=refresh_id,
        authorization_code_id="code-1",
        expires_at=moment + timedelta(hours=1),
        scopes=(),
        resources=None,
        requested_claims=None,
    )


def test_a_family_is_revoked_with_its_access_tokens(connection, start, people, turnable_clock):
    first, other = start("a"), start("other")
    _give_access(connection, people, "of a", first, turnable_clock.moment)
    _give_access(connection, people, "of other", other, turnable_clock.moment)
    _rotate(connection, "a", "b")
    ended = turnable_clock.moment

    refresh_tokens.revoke_family(connection, first)
    turnable_clock.advance(seconds=1)
    refresh_tokens.revoke_family(connection, first)

    assert [_state(connection, token) for token in ("a", "b")] == [State.REVOKED] * 2
    assert refresh_tokens.find(connection, "a").revoked == ended
    assert not _successor_kept(connection, "a")
    assert _state(connection, "other") is State.USABLE
    assert access_tokens.find(connection, "of a") is None
    assert access_tokens.find(connection, "of other") is not None


def test_what_came_of_a_code_is_revoked(connection, start, people, turnable_clock):
    start("a")
    start("b", authorization_code_id="code-2")
    _give_access(connection, people, "of no refresh token", None, turnable_clock.moment)

    refresh_tokens.revoke_of_code(connection, "code-1")

    assert _state(connection, "a") is State.REVOKED
    assert _state(connection, "b") is State.USABLE
    assert access_tokens.find(connection, "of no refresh token") is None


def test_those_of_a_person_are_revoked_of_one_client_or_of_all(
    connection, start, people, turnable_clock
):
    start("a")
    start("b", client_id=people.other_client_id)
    start("c", user_id=people.bob.user.id)
    _give_access(connection, people, "of no refresh token", None, turnable_clock.moment)

    refresh_tokens.revoke_of_user(connection, people.ada.user.id, people.client_id)
    assert [_state(connection, token) for token in "abc"] == [
        State.REVOKED,
        State.USABLE,
        State.USABLE,
    ]
    assert access_tokens.find(connection, "of no refresh token") is None

    refresh_tokens.revoke_of_user(connection, people.ada.user.id)
    assert [_state(connection, token) for token in "bc"] == [State.REVOKED, State.USABLE]
