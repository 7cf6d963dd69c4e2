from authservice.services import consents, sessions, standing


def test_a_live_session_without_consent(connection, people):
    found = standing.find(connection, people.ada.id, people.client_id)

    assert found == (True, None)
    assert not found.covers(["openid"])


def test_what_this_person_allowed_this_client_is_told(connection, people):
    consents.grant(connection, people.client_id, people.ada.user.id, ["openid", "email"])
    consents.grant(connection, people.other_client_id, people.ada.user.id, ["profile"])
    consents.grant(connection, people.client_id, people.bob.user.id, ["openid"])

    assert set(standing.find(connection, people.ada.id, people.client_id).consented) == {
        "openid",
        "email",
    }
    assert standing.find(connection, people.ada.id, people.client_id).covers(["email"])
    assert not standing.find(connection, people.ada.id, people.client_id).covers(["profile"])
    assert standing.find(connection, people.bob.id, people.client_id).consented == ("openid",)
    assert standing.find(connection, people.bob.id, people.other_client_id).consented is None


def test_a_session_that_has_expired_is_not_alive(connection, people, turnable_clock):
    consents.grant(connection, people.client_id, people.ada.user.id, ["openid"])
    turnable_clock.advance(days=7)

    assert standing.find(connection, people.ada.id, people.client_id) == (False, ("openid",))


def test_a_session_that_was_ended_is_not_alive(connection, people):
    sessions.end(connection, [people.ada.id])

    assert standing.find(connection, people.ada.id, people.client_id) == (False, None)
