"""Authorization codes: what one is bound to comes back unchanged, once."""

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import select

from authservice.models import verification
from authservice.services.sessions import sessions
from authservice.services.tokens import authorization_codes
from authservice.services.tokens.authorization_codes import CodeGrant

MINUTE = timedelta(minutes=1)


@pytest.fixture
def grant(people, turnable_clock):
    return CodeGrant(
        client_id=people.client_id,
        user_id=people.ada.user.id,
        session_id=people.ada.id,
        redirect_uri="https://app.example.com/cb",
        code_challenge="challenge",
        scopes=("openid", "email"),
        nonce="nonce",
        auth_time=turnable_clock.moment,
        resources=("https://api.example.com",),
        requested_claims={"id_token": ["name"]},
    )


def test_a_code_stands_for_its_grant_until_it_is_spent(connection, grant, turnable_clock):
    code = authorization_codes.issue(connection, grant, MINUTE)

    found = authorization_codes.find(connection, code)
    assert found.grant == grant
    assert found.id == found.row.id
    assert found.row.expires_at == turnable_clock.moment + MINUTE
    assert authorization_codes.find(connection, "another") is None

    kept = turnable_clock.moment + timedelta(hours=1)
    assert authorization_codes.spend(connection, found, kept) is True
    assert authorization_codes.spend(connection, found, kept) is False
    assert authorization_codes.find(connection, code).row.expires_at == kept


def test_the_code_itself_is_not_stored(connection, grant):
    code = authorization_codes.issue(connection, grant, MINUTE)

    row = connection.execute(select(verification)).one()
    assert not any(code in str(value) for value in row)


def test_there_is_none_for_a_session_that_has_ended(transaction, connection, grant):
    sessions.end(transaction, [grant.session_id])

    assert authorization_codes.issue(connection, grant, MINUTE) is None
    assert connection.execute(select(verification)).all() == []


def test_the_codes_of_a_person_are_told_apart(connection, people, grant):
    code = authorization_codes.issue(connection, grant, MINUTE)
    of_bob = replace(grant, user_id=people.bob.user.id, session_id=people.bob.id)
    authorization_codes.issue(connection, of_bob, MINUTE)

    which = authorization_codes.of_user(people.ada.user.id)
    found = connection.scalars(select(verification.c.id).where(which)).all()
    assert found == [authorization_codes.find(connection, code).id]


def test_an_id_that_is_the_beginning_of_another_has_none_of_its_codes(connection, grant, people):
    code = authorization_codes.issue(connection, grant, MINUTE)

    which = authorization_codes.of_user(people.ada.user.id[:-1])

    assert authorization_codes.find(connection, code) is not None
    assert connection.scalars(select(verification.c.id).where(which)).all() == []


def test_an_underscore_in_an_id_stands_for_itself(connection, grant, people):
    code = authorization_codes.issue(connection, grant, MINUTE)
    user_id = people.ada.user.id

    which = authorization_codes.of_user(f"_{user_id[1:]}")

    assert authorization_codes.find(connection, code) is not None
    assert connection.scalars(select(verification.c.id).where(which)).all() == []
