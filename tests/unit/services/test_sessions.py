"""Central sessions: found while they are alive, extended, listed and ended."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from authservice.models import session
from authservice.services.sessions import sessions
from authservice.services.tokens import access_tokens
from tests.helpers.granted import give_access

WEEK = timedelta(days=7)
QUARTER = timedelta(days=90)


@pytest.fixture
def begin(connection, people):
    """Begin a further session of Ada's; returns it and its token."""

    def begin(lifetime=WEEK, **about):
        return sessions.create(connection, people.ada.user, lifetime, **about)

    return begin


def test_a_session_is_found_by_its_token_and_by_its_id(connection, begin, people, turnable_clock):
    made, token = begin(ip_address="192.0.2.1", user_agent="Firefox")

    assert sessions.find(connection, token) == made
    assert sessions.find_by_id(connection, made.id) == made
    assert made.user == people.ada.user
    assert (made.ip_address, made.user_agent) == ("192.0.2.1", "Firefox")
    assert made.auth_time == made.created_at == made.updated_at == turnable_clock.moment
    assert made.expires_at == turnable_clock.moment + WEEK
    assert sessions.ids_of_tokens(connection, [token]) == {token: made.id}


def test_its_id_and_the_stored_row_open_nothing(connection, begin):
    made, token = begin()

    assert sessions.find(connection, made.id) is None
    assert sessions.find_by_id(connection, token) is None
    assert sessions.ids_of_tokens(connection, [made.id]) == {}
    stored = connection.execute(select(session).where(session.c.id == made.id)).one()
    assert token not in stored
    assert sessions.find(connection, stored.token) is None


def test_it_is_not_found_when_its_time_is_over(connection, begin, turnable_clock):
    made, token = begin()
    turnable_clock.advance(days=7)

    assert sessions.find(connection, token) is None
    assert sessions.find_by_id(connection, made.id) is None
    # So that signing out ends it properly all the same.
    assert sessions.ids_of_tokens(connection, [token]) == {token: made.id}


def test_an_extension_moves_the_expiry_of_one_session(connection, begin, people, turnable_clock):
    made, _ = begin()
    turnable_clock.advance(days=2)

    extended = sessions.extend(connection, made, WEEK, QUARTER)

    assert extended == sessions.find_by_id(connection, made.id)
    assert extended.expires_at == turnable_clock.moment + WEEK
    assert extended.updated_at == turnable_clock.moment
    assert extended.auth_time == made.auth_time
    assert sessions.find_by_id(connection, people.ada.id) == people.ada


def test_an_extension_does_not_bring_back_what_has_expired(connection, begin, turnable_clock):
    made, _ = begin()
    turnable_clock.advance(days=7)

    assert sessions.extend(connection, made, WEEK, QUARTER) is None

    assert sessions.find_by_id(connection, made.id) is None


def test_what_was_read_before_a_renewal_or_an_extension_extends_nothing(
    connection, begin, turnable_clock
):
    made, token = begin()
    turnable_clock.advance(days=6)
    device = {"ip_address": None, "user_agent": None}
    renewed, _ = sessions.renew(connection, made, token, WEEK, **device)

    assert sessions.extend(connection, made, WEEK, timedelta(days=10)) is None
    assert sessions.find_by_id(connection, made.id) == renewed

    turnable_clock.advance(days=2)
    extended = sessions.extend(connection, renewed, WEEK, QUARTER)
    assert sessions.extend(connection, renewed, timedelta(days=1), QUARTER) is None
    assert sessions.find_by_id(connection, made.id) == extended


def test_a_session_is_renewed_once_for_each_token(connection, begin, turnable_clock):
    made, token = begin()
    turnable_clock.advance(days=1)
    device = {"ip_address": "203.0.113.9", "user_agent": "New/1"}

    renewed, new_token = sessions.renew(connection, made, token, WEEK, **device)

    assert renewed.id == made.id
    assert renewed.auth_time == turnable_clock.moment
    assert renewed == sessions.find(connection, new_token)
    assert sessions.find(connection, token) is None
    assert sessions.is_renewed(new_token)
    assert not sessions.is_renewed(token)
    assert sessions.renew(connection, made, token, WEEK, **device) is None
    assert renewed == sessions.find(connection, new_token)


def test_a_session_that_has_ended_is_not_renewed(connection, begin, turnable_clock):
    made, token = begin()
    turnable_clock.advance(days=7)

    assert sessions.renew(connection, made, token, WEEK, ip_address=None, user_agent=None) is None


def test_a_persons_live_sessions_are_listed(connection, begin, people, turnable_clock):
    begin(timedelta(minutes=1))
    turnable_clock.advance(minutes=1)
    newer, _ = begin()

    assert sessions.of_user(connection, people.ada.user.id) == [people.ada, newer]
    assert sessions.count_of_user(connection, people.ada.user.id) == 2
    assert sessions.count_of_user(connection, people.bob.user.id) == 1


def test_a_page_begins_with_the_current_one_and_goes_on_with_the_newest(
    connection, begin, people, turnable_clock
):
    begin(timedelta(minutes=1))
    turnable_clock.advance(minutes=1)
    second, _ = begin()
    turnable_clock.advance(minutes=1)
    third, _ = begin()

    def page(at_most, beyond):
        return sessions.page_of_user(connection, people.ada, at_most=at_most, beyond=beyond)

    assert page(10, 0) == [people.ada, third, second]
    assert page(1, 1) == [third]


def test_ending_ends_those_and_their_access_tokens(transaction, connection, people, turnable_clock):
    for token, owner in (("a", people.ada), ("b", people.bob)):
        give_access(
            connection,
            token,
            turnable_clock.moment + timedelta(hours=1),
            client_id=people.client_id,
            session_id=owner.id,
            user_id=owner.user.id,
        )

    assert sessions.end(transaction, [people.ada.id, "unknown"]) == 1
    assert sessions.end(transaction, [people.ada.id]) == 0

    assert sessions.find_by_id(connection, people.ada.id) is None
    assert sessions.find_by_id(connection, people.bob.id) == people.bob
    assert access_tokens.find(connection, "a") is None
    assert access_tokens.find(connection, "b") is not None
