from authservice.services.people import consents
from authservice.services.people.consents import Allowed
from authservice.services.sessions import sessions
from authservice.services.sessions.session_and_consent import find


def test_an_active_session_without_consent(connection, people):
    assert find(connection, people.ada.id, people.client_id) == (True, None, True)


def test_what_this_person_allowed_this_client_is_told(transaction, connection, people):
    both = ["openid", "email"]
    consents.grant(
        transaction, people.client_id, people.ada.user.id, both, (), ["https://a.example"]
    )
    consents.grant(transaction, people.other_client_id, people.ada.user.id, ["profile"])
    consents.grant(transaction, people.client_id, people.bob.user.id, ["openid"])

    def allowed(session, client_id):
        return find(connection, session.id, client_id).consent

    assert allowed(people.ada, people.client_id) == Allowed((*both,), ("https://a.example",))
    assert allowed(people.bob, people.client_id) == Allowed(("openid",), None)
    assert allowed(people.bob, people.other_client_id) is None


def test_a_session_that_has_expired_is_not_active(transaction, connection, people, turnable_clock):
    consents.grant(transaction, people.client_id, people.ada.user.id, ["openid"])
    turnable_clock.advance(days=7)

    allowed = Allowed(("openid",), None)
    assert find(connection, people.ada.id, people.client_id) == (False, allowed, True)


def test_a_session_that_was_ended_is_not_active(transaction, connection, people):
    sessions.end(transaction, [people.ada.id])

    assert find(connection, people.ada.id, people.client_id) == (False, None, False)
