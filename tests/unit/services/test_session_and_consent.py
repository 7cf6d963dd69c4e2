from sqlalchemy import update

from authservice.models import oauth_client
from authservice.services.people import consents
from authservice.services.sessions import sessions
from authservice.services.tokens.session_and_consent import find


def test_an_active_session_without_consent(connection, people):
    found = find(connection, people.ada.id, people.client_id)

    assert found == (True, None, True, None)
    assert not found.covers(["openid"])


def test_what_this_person_allowed_this_client_is_told(transaction, connection, people):
    consents.grant(transaction, people.client_id, people.ada.user.id, ["openid", "email"])
    consents.grant(transaction, people.other_client_id, people.ada.user.id, ["profile"])
    consents.grant(transaction, people.client_id, people.bob.user.id, ["openid"])

    assert set(find(connection, people.ada.id, people.client_id).consented) == {
        "openid",
        "email",
    }
    assert find(connection, people.ada.id, people.client_id).covers(["email"])
    assert not find(connection, people.ada.id, people.client_id).covers(["profile"])
    assert find(connection, people.bob.id, people.client_id).consented == ("openid",)
    assert find(connection, people.bob.id, people.other_client_id).consented is None


def test_a_session_that_has_expired_is_not_active(transaction, connection, people, turnable_clock):
    consents.grant(transaction, people.client_id, people.ada.user.id, ["openid"])
    turnable_clock.advance(days=7)

    assert find(connection, people.ada.id, people.client_id) == (False, ("openid",), True, None)


def test_a_session_that_was_ended_is_not_active(transaction, connection, people):
    sessions.end(transaction, [people.ada.id])

    assert find(connection, people.ada.id, people.client_id) == (False, None, False, None)


def test_the_list_of_the_client_is_told(connection, people):
    change = update(oauth_client).where(oauth_client.c.client_id == people.client_id)
    connection.execute(change.values(allow=("org:acme",)))

    assert find(connection, people.ada.id, people.client_id).allow == ("org:acme",)
    assert find(connection, people.ada.id, people.other_client_id).allow is None
