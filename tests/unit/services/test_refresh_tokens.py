"""Refresh tokens: rotated once, found whatever their state, revoked by families."""

from datetime import timedelta

import pytest
from sqlalchemy import func, select, update

from authservice.crypto.secret_values import digest
from authservice.crypto.server_secret import ServerSecret
from authservice.models import (
    oauth_access_token,
    oauth_refresh_token,
    session,
)
from authservice.services.tokens import access_tokens, refresh_tokens
from authservice.services.tokens.refresh_tokens import State
from tests.helpers.granted import add_access, give_access

GRACE = timedelta(seconds=10)
LIFETIME = timedelta(days=7)
FAMILY_LIFETIME = timedelta(days=30)
SECRET, OTHER_SECRET = ServerSecret(b"s" * 32), ServerSecret(b"o" * 32)


@pytest.fixture
def start(connection, people, turnable_clock):
    """Start a family of Ada's; changes are those of its columns."""

    def start(lifetime=LIFETIME, family_lifetime=FAMILY_LIFETIME, **changes):
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
            SECRET,
            lifetime=lifetime,
            family_lifetime=family_lifetime,
            **(columns | changes),
        ).token

    return start


def _find(connection, token, secret=SECRET):
    return refresh_tokens.find(connection, secret, token)


def _rotate(transaction, presented, lifetime=LIFETIME, secret=SECRET):
    """Return what is answered, perhaps None."""
    found = _find(transaction.connection, presented, secret)
    return refresh_tokens.rotate(
        transaction, secret, presented, found, lifetime=lifetime, grace=GRACE
    )


def _rotated(transaction, presented, times=1, secret=SECRET):
    """Return a token that was rotated so often, first, and all that followed it."""
    tokens = [presented]
    for _ in range(times):
        tokens.append(_rotate(transaction, tokens[-1], secret=secret).token)
    return tokens


def _state(connection, token, secret=SECRET):
    found = _find(connection, token, secret)
    return found and refresh_tokens.state_of(found, GRACE)


def _successor_kept(connection, token):
    return _find(connection, token).rotation is not None


def _count(connection):
    return connection.scalar(select(func.count()).select_from(oauth_refresh_token))


def test_a_token_stands_for_what_was_granted(connection, start, people, turnable_clock):
    token = start()

    found = _find(connection, token).family
    assert found.user == people.ada.user
    assert token.startswith(found.id)
    assert (found.client_id, found.session_id) == (people.client_id, people.ada.id)
    assert (found.user_id, found.authorization_code_id) == (people.ada.user.id, "code-1")
    assert found.created_at - found.auth_time == timedelta(hours=2)
    assert found.expires_at == turnable_clock.moment + LIFETIME
    assert found.family_expires_at == turnable_clock.moment + FAMILY_LIFETIME
    assert list(found.scopes) == ["openid", "offline_access"]
    assert list(found.resources) == ["https://api.example.com"]
    assert found.requested_claims == {"id_token": ["name"]}


def test_neither_a_token_nor_what_makes_one_is_stored(transaction, connection, start):
    first = start()
    tokens = _rotated(transaction, first)
    key = SECRET.decrypt("grant", _find(connection, first).family.key)

    (row,) = connection.execute(select(oauth_refresh_token))
    stored = " ".join(map(str, row))
    # The id alone begins a token.
    assert not any(each in stored for each in (key, *(token[32:] for token in tokens)))


def test_the_first_token_does_not_outlive_its_family(connection, start, turnable_clock):
    token = start(lifetime=timedelta(days=2), family_lifetime=timedelta(days=1))

    found = _find(connection, token).family
    assert found.expires_at == turnable_clock.moment + timedelta(days=1)


def test_its_session_is_alive_until_it_has_expired_or_ended(
    connection, start, people, turnable_clock
):
    token, other = start(), start(session_id=None)
    assert _find(connection, token).family.session_is_alive is True
    assert _find(connection, other).family.session_is_alive is False

    connection.execute(
        update(session)
        .where(session.c.id == people.ada.id)
        .values(expires_at=turnable_clock.moment)
    )

    assert _find(connection, token).family.session_is_alive is False


def test_a_successor_has_what_the_token_had(transaction, connection, start, people, turnable_clock):
    token = start()
    first = _find(connection, token).family
    turnable_clock.advance(days=1)

    answered = _rotate(transaction, token)

    second = _find(connection, answered.token).family
    assert answered == (answered.token, first.id, people.ada.id, False)
    assert answered.token != token
    assert (first.issued_at, second.issued_at) == (first.created_at, turnable_clock.moment)
    assert second.expires_at == turnable_clock.moment + LIFETIME
    for name in (
        *("id", "client_id", "session_id", "user_id", "authorization_code_id", "auth_time"),
        *("scopes", "resources", "requested_claims", "family_expires_at", "created_at", "user"),
    ):
        assert getattr(second, name) == getattr(first, name), name


def test_a_family_is_one_row_however_often_it_is_rotated(transaction, connection, start):
    tokens = _rotated(transaction, start(), 100)

    assert len({*tokens}) == 101
    assert _count(connection) == 1


def test_a_successor_does_not_outlive_the_family(transaction, connection, start, turnable_clock):
    first = start(family_lifetime=timedelta(days=8))
    turnable_clock.advance(days=6)

    second = _find(connection, _rotate(transaction, first).token).family

    assert second.expires_at == second.family_expires_at


def test_eight_tokens_may_be_retried_at_once_and_one_more_ends_nothing(
    transaction, connection, start, turnable_clock
):
    tokens = _rotated(transaction, start(), 9)
    turnable_clock.advance(seconds=10)

    assert [_state(connection, token) for token in tokens] == [State.DROPPED] + [State.USABLE] * 9
    assert _rotate(transaction, tokens[0]) is None
    assert [_rotate(transaction, token).token for token in tokens[1:9]] == tokens[2:]
    assert _state(connection, tokens[9]) is State.USABLE


def test_while_one_may_have_been_dropped_no_older_one_ends_the_family(
    transaction, connection, start, turnable_clock
):
    tokens = _rotated(transaction, start(), 20)
    turnable_clock.advance(seconds=10)

    assert _state(connection, tokens[3]) is State.DROPPED
    assert _rotate(transaction, tokens[3]) is None
    assert _state(connection, tokens[20]) is State.USABLE

    turnable_clock.advance(milliseconds=1)
    assert _state(connection, tokens[3]) is State.REPLAYED


@pytest.mark.attack("TOKENS-replay-refresh")
def test_a_token_of_any_earlier_generation_ends_the_family(
    subtests, transaction, connection, start, turnable_clock
):
    tokens = _rotated(transaction, start(), 40)
    turnable_clock.advance(days=6)

    for generation in (0, 1, 17, 39):
        with subtests.test(generation=generation), connection.begin_nested() as savepoint:
            assert _rotate(transaction, tokens[generation]) is None
            assert _state(connection, tokens[-1]) is State.REVOKED
            savepoint.rollback()


@pytest.mark.attack("TOKENS-forged-tag")
def test_a_token_that_the_family_never_gave_out_is_unknown(transaction, connection, start):
    tokens, other = _rotated(transaction, start()), start()
    current = tokens[-1]
    head, tag = current[:75], current[75:]

    for forged in (
        head + ("0" * 32 if tag != "0" * 32 else "1" * 32),
        head + tokens[0][75:],
        head + other[75:],
        head + tag.upper() if tag.upper() != tag else head + tag[::-1],
        current[:32] + other[32:],
        other[:32] + current[32:],
        current[:-1],
        current + "0",
        current[:32],
        "A" * 32 + current[32:],
        "",
        "\ud800" + current[1:],
        "\u00e9" * 107,
    ):
        assert _find(connection, forged) is None, forged
    assert _state(connection, current) is State.USABLE


def test_the_key_of_a_family_is_sealed_again_when_the_secret_is_replaced(
    transaction, connection, start, turnable_clock
):
    first = start()
    second = _rotated(transaction, first, secret=ServerSecret(b"n" * 32, b"s" * 32))[-1]
    turnable_clock.advance(seconds=11)

    assert _state(connection, first, ServerSecret(b"n" * 32)) is State.REPLAYED
    assert _state(connection, second, ServerSecret(b"n" * 32)) is State.USABLE


def test_a_family_goes_on_when_the_secret_is_lost(transaction, connection, start, turnable_clock):
    first = start()
    second = _rotate(transaction, first, secret=OTHER_SECRET).token
    assert _rotate(transaction, first, secret=OTHER_SECRET).token == second
    third = _rotate(transaction, second, secret=OTHER_SECRET).token
    turnable_clock.advance(seconds=11)

    # What was issued with the lost key cannot be told from an invention.
    assert _state(connection, first, OTHER_SECRET) is State.REPLAYED
    assert _state(connection, third, OTHER_SECRET) is State.USABLE
    _rotate(transaction, third, secret=OTHER_SECRET)
    assert _state(connection, first, OTHER_SECRET) is None
    assert _state(connection, second, OTHER_SECRET) is State.REPLAYED


def test_an_expired_token_is_not_rotated(transaction, connection, start, turnable_clock):
    token = start()
    turnable_clock.advance(days=7)

    assert _state(connection, token) is State.EXPIRED
    assert _rotate(transaction, token) is None
    assert _state(connection, token) is State.EXPIRED


def test_a_retry_is_not_answered_past_the_end_of_the_family(
    transaction, connection, start, turnable_clock
):
    token = start(family_lifetime=timedelta(seconds=5))
    _rotate(transaction, token)
    turnable_clock.advance(seconds=5)

    assert _state(connection, token) is State.EXPIRED
    assert _rotate(transaction, token) is None


def test_a_retry_is_answered_past_the_end_of_the_token(
    transaction, connection, start, turnable_clock
):
    token = start(lifetime=timedelta(seconds=5))
    first = _rotate(transaction, token)
    turnable_clock.advance(seconds=6)

    assert _state(connection, token) is State.USABLE
    assert _rotate(transaction, token) == first._replace(again=True)


def test_successors_are_erased_when_nobody_may_retry(
    transaction, connection, start, turnable_clock
):
    a, other = start(), start()
    _rotate(transaction, other)
    b = _rotate(transaction, a).token
    turnable_clock.advance(seconds=10)
    c = _rotate(transaction, b).token
    assert _successor_kept(connection, a)
    turnable_clock.advance(seconds=1)

    _rotate(transaction, c)

    assert not _successor_kept(connection, a)
    assert _successor_kept(connection, b)
    assert _successor_kept(connection, other)


def _give_access(connection, people, token, moment):
    """Give access by the first code without a refresh token."""
    columns = {"client_id": people.client_id, "session_id": None, "user_id": people.ada.user.id}
    end = moment + timedelta(hours=1)
    give_access(connection, token, end, authorization_code_id="code-1", **columns)


def test_a_family_is_revoked_with_its_access_tokens(transaction, connection, start, turnable_clock):
    a, other = start(), start()
    family = _find(connection, a).family.id
    end = turnable_clock.moment + timedelta(hours=1)
    add_access(connection, "of a", family, end)
    add_access(connection, "of other", _find(connection, other).family.id, end)
    b = _rotate(transaction, a).token
    ended = turnable_clock.moment

    refresh_tokens.revoke_family(connection, family)
    turnable_clock.advance(seconds=1)
    refresh_tokens.revoke_family(connection, family)

    assert [_state(connection, token) for token in (a, b)] == [State.REVOKED] * 2
    assert _find(connection, a).family.revoked == ended
    assert not _successor_kept(connection, a)
    assert _state(connection, other) is State.USABLE
    assert access_tokens.find(connection, "of a") is None
    assert access_tokens.find(connection, "of other") is not None


def test_what_came_of_a_code_is_revoked(connection, start, people, turnable_clock):
    a, b = start(), start(authorization_code_id="code-2")
    _give_access(connection, people, "of no refresh token", turnable_clock.moment)

    refresh_tokens.revoke_of_code(connection, "code-1")

    assert _state(connection, a) is State.REVOKED
    assert _state(connection, b) is State.USABLE
    assert access_tokens.find(connection, "of no refresh token") is None


def test_those_of_a_person_are_revoked_of_one_client_or_of_all(
    connection, start, people, turnable_clock
):
    a = start()
    b = start(client_id=people.other_client_id)
    c = start(user_id=people.bob.user.id)
    _give_access(connection, people, "of no refresh token", turnable_clock.moment)

    refresh_tokens.revoke_of_user(connection, people.ada.user.id, people.client_id)
    assert [_state(connection, token) for token in (a, b, c)] == [
        State.REVOKED,
        State.USABLE,
        State.USABLE,
    ]
    assert access_tokens.find(connection, "of no refresh token") is None

    refresh_tokens.revoke_of_user(connection, people.ada.user.id)
    assert [_state(connection, token) for token in (b, c)] == [State.REVOKED, State.USABLE]


def test_a_rotation_deletes_the_access_tokens_whose_time_is_over(
    transaction, connection, start, turnable_clock
):
    a, other = start(), start()
    for token, owner in (("of a", a), ("of other", other)):
        end = turnable_clock.moment + timedelta(hours=1)
        add_access(connection, token, _find(connection, owner).family.id, end)
    turnable_clock.advance(hours=1)
    add_access(connection, "new", _find(connection, a).family.id, turnable_clock.moment + LIFETIME)

    _rotate(transaction, a)

    left = connection.scalars(select(oauth_access_token.c.id)).all()
    assert sorted(left) == sorted([digest("of other"), digest("new")])


def test_a_grant_without_a_refresh_token_is_found_by_no_token(connection, people, turnable_clock):
    _give_access(connection, people, "access", turnable_clock.moment)
    grant_id = connection.scalar(select(oauth_refresh_token.c.id))

    for token in (grant_id, grant_id + "x" * 43 + "0" * 32, "", "access"):
        assert _find(connection, token) is None
