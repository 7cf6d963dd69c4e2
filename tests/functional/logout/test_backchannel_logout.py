"""Back-channel logout: who is told of which session's end, and in which words."""

import pytest
from sqlalchemy import func, select, update

from authservice.models import logout_notice, oauth_client, session
from authservice.oauth.logout import backchannel
from authservice.services.sessions import sessions
from tests.helpers.browser import ORIGIN, Browser
from tests.helpers.end_session import ask
from tests.helpers.expired import fill
from tests.helpers.production import sign_in_stranger
from tests.helpers.published_keys import ISSUER, decoded
from tests.helpers.relying_party import RelyingParty

HEADERS = {"Origin": ORIGIN}
EVENT = "http://schemas.openid.net/event/backchannel-logout"


@pytest.fixture(autouse=True)
def _no_look_unasked(monkeypatch):
    # So that what arrives was sent because the end of a session called for it.
    monkeypatch.setattr(backchannel, "_IDLE_SECONDS", 3600)


def post(browser, name, **body):
    assert browser.post_json(f"/api/auth/{name}", body, headers=HEADERS).status_int == 200


def sid(browser):
    return browser.session()["session"]["id"]


def signed_in_to(client, browser):
    """Sign in to a client and return the session that it took part in."""
    assert client.redeem(client.sign_in_with(browser)).status_int == 200
    return sid(browser)


def notices(database):
    return database.reader.scalar(select(func.count()).select_from(logout_notice))


def claims_of(received, client, alg="RS256"):
    return decoded(received.token, client.http, alg)[1]


@pytest.mark.requirement("OIDC-BCLOGOUT-2.4-1", "OIDC-BCLOGOUT-2.4-2", "OIDC-BCLOGOUT-2.4-3")
@pytest.mark.requirement("OIDC-BCLOGOUT-2.4-4", "OIDC-BCLOGOUT-2.4-5", "OIDC-BCLOGOUT-2.4-6")
@pytest.mark.requirement("OIDC-BCLOGOUT-2.4-8", "OIDC-BCLOGOUT-2.4-9", "OIDC-BCLOGOUT-2.5-1")
def test_the_logout_token_is_as_the_standard_says(
    browser, told_client, receiver, by_hand, turnable_clock
):
    session_id = signed_in_to(told_client, browser)
    turnable_clock.advance(seconds=100)
    post(browser, "sign-out")

    assert by_hand.attempt_one() is True
    received = receiver.next()

    assert received.path == "/backchannel-logout"
    assert received.content_type == "application/x-www-form-urlencoded"
    assert set(received.form) == {"logout_token"}
    header, claims = decoded(received.token, told_client.http)
    now = int(turnable_clock.moment.timestamp())
    assert (header["typ"], header["alg"]) == ("logout+jwt", "RS256")
    assert len(claims.pop("jti")) >= 16
    assert claims == {
        "iss": ISSUER,
        "aud": told_client.client_id,
        "sub": "local-developer",
        "sid": session_id,
        "iat": now,
        "exp": now + 120,
        "events": {EVENT: {}},
    }


@pytest.mark.requirement("OIDC-BCLOGOUT-2.4-6", "OIDC-BCLOGOUT-2.4-7")
@pytest.mark.parametrize("alg", ["ES256", "EdDSA"])
def test_it_is_signed_as_the_client_s_id_tokens_are(database, browser, receiver, by_hand, alg):
    client = RelyingParty.registered(
        browser.app, database, id_token_signed_response_alg=alg, backchannel_logout_uri=receiver.uri
    )
    session_id = signed_in_to(client, browser)
    post(browser, "sign-out")
    by_hand.attempt_one()

    assert claims_of(receiver.next(), client, alg)["sid"] == session_id


def test_signing_out_tells_without_anybody_asking_again(browser, told_client, receiver, database):
    session_id = signed_in_to(told_client, browser)

    post(browser, "sign-out")

    assert claims_of(receiver.next(), told_client)["sid"] == session_id


def sign_out_by_api(browser, _token):
    post(browser, "sign-out")


def sign_out_by_form(browser, _token):
    browser.get("/").forms[0].submit()


def revoke_the_session(browser, _token):
    post(browser, "revoke-session", token=browser.session()["session"]["token"])


def sign_out_everywhere(browser, _token):
    post(browser, "revoke-sessions")


def end_session_with_a_hint(browser, token):
    assert ask(browser, token).status_int == 303


def end_session_confirmed(browser, _token):
    ask(browser).forms[0].submit("decision", value="sign-out")


@pytest.mark.requirement("OIDC-BCLOGOUT-2.5-2")
def test_every_way_to_end_a_session_tells(subtests, browser, told_client, receiver):
    for end in (
        sign_out_by_api,
        sign_out_by_form,
        revoke_the_session,
        sign_out_everywhere,
        end_session_with_a_hint,
        end_session_confirmed,
    ):
        with subtests.test(end=end):
            tokens = told_client.redeem(told_client.sign_in_with(browser)).json
            session_id = sid(browser)

            end(browser, tokens["id_token"])

            assert claims_of(receiver.next(), told_client)["sid"] == session_id


@pytest.mark.requirement("OIDC-BCLOGOUT-2.1-3")
def test_ending_the_other_sessions_tells_of_those_only(
    app, browser, told_client, receiver, by_hand
):
    signed_in_to(told_client, browser)
    second = Browser(app)
    other_id = signed_in_to(told_client, second)

    post(browser, "revoke-other-sessions")

    assert by_hand.attempt_one() is True
    assert by_hand.attempt_one() is False
    assert claims_of(receiver.next(), told_client)["sid"] == other_id


def test_signing_out_everywhere_tells_of_each_session(app, browser, told_client, receiver, by_hand):
    ids = {signed_in_to(told_client, browser), signed_in_to(told_client, Browser(app))}

    post(browser, "revoke-sessions")

    assert [by_hand.attempt_one() for _ in range(3)] == [True, True, False]
    assert {claims_of(receiver.next(), told_client)["sid"] for _ in range(2)} == ids


def test_an_expired_session_tells_too(browser, told_client, receiver, teller, turnable_clock):
    session_id = signed_in_to(told_client, browser)

    turnable_clock.advance(days=8)
    teller.wake()

    claims = claims_of(receiver.next(), told_client)
    assert claims["sid"] == session_id
    assert claims["sub"] == "local-developer"


def test_an_expired_session_tells_also_after_the_clock_was_set_back(
    browser, told_client, receiver, by_hand, turnable_clock
):
    turnable_clock.advance(days=30)
    by_hand.end_expired_sessions()
    turnable_clock.advance(days=-30)
    session_id = signed_in_to(told_client, browser)
    by_hand.end_expired_sessions()

    turnable_clock.advance(days=8)
    by_hand.end_expired_sessions()

    assert by_hand.attempt_one() is True
    assert claims_of(receiver.next(), told_client)["sid"] == session_id


def test_of_many_expired_sessions_none_is_forgotten(make_app, database):
    fill(database, 2 * sessions.ENDED_AT_ONCE + 1, told=True)
    teller = make_app().registry.components.backchannel_logout
    teller.stop()

    for _ in range(3):
        teller.end_expired_sessions()

    assert database.reader.scalar(select(func.count()).select_from(session)) == 0


def test_a_session_that_lives_is_left_alone(browser, told_client, receiver, teller, turnable_clock):
    signed_in_to(told_client, browser)
    second = Browser(browser.app)
    turnable_clock.advance(days=5)
    later = signed_in_to(told_client, second)
    turnable_clock.advance(days=3)

    teller.wake()
    claims = claims_of(receiver.next(), told_client)
    teller.stop()

    assert claims["sid"] != later
    assert sid(second) == later
    assert not receiver.has_more()


@pytest.mark.requirement("OIDC-BCLOGOUT-2.3-1", "OIDC-BCLOGOUT-2.5-2")
def test_all_clients_of_the_session_are_told(app, database, browser, receiver, by_hand):
    parties = [
        RelyingParty.registered(app, database, name=name, backchannel_logout_uri=receiver.uri)
        for name in ("One", "Two")
    ]
    for party in parties:
        signed_in_to(party, browser)
        signed_in_to(party, browser)
    post(browser, "sign-out")

    assert [by_hand.attempt_one() for _ in range(3)] == [True, True, False]
    told = {claims_of(receiver.next(), parties[0])["aud"] for _ in parties}
    assert told == {party.client_id for party in parties}


@pytest.mark.requirement("OIDC-BCLOGOUT-2.3-1")
def test_nobody_else_is_told(database, browser, relying_party, told_client, by_hand):
    signed_in_to(relying_party, browser)
    told_client.sign_in_with(browser)

    post(browser, "sign-out")

    assert by_hand.attempt_one() is False
    assert notices(database) == 0


@pytest.mark.requirement("OIDC-BCLOGOUT-2.4-2")
def test_each_person_s_sub_is_their_own(app, database, told_client, receiver, by_hand):
    stranger = sign_in_stranger(Browser(app), app, database)
    user_id = stranger.session()["user"]["id"]
    signed_in_to(told_client, stranger)

    post(stranger, "sign-out")
    by_hand.attempt_one()

    assert claims_of(receiver.next(), told_client)["sub"] == user_id != "local-developer"


def test_who_is_not_to_be_told_any_more_is_not(browser, told_client, by_hand, database):
    signed_in_to(told_client, browser)
    post(browser, "sign-out")
    with database.transaction() as connection:
        connection.execute(update(oauth_client).values(backchannel_logout_uri=None))

    assert by_hand.attempt_one() is True
    assert notices(database) == 0


@pytest.mark.attack("TOKENS-silent-client")
def test_a_disabled_client_is_told_when_it_is_enabled_again(
    browser, told_client, receiver, by_hand, database, turnable_clock
):
    session_id = signed_in_to(told_client, browser)
    post(browser, "sign-out")
    disable(database, disabled=True)
    for _ in range(3):
        assert by_hand.attempt_one() is False
        turnable_clock.advance(days=30)

    assert notices(database) == 1
    disable(database, disabled=False)
    assert by_hand.attempt_one() is True
    assert claims_of(receiver.next(), told_client)["sid"] == session_id
    assert notices(database) == 0


def disable(database, *, disabled):
    with database.transaction() as connection:
        connection.execute(update(oauth_client).values(disabled=disabled))


@pytest.mark.attack("TOKENS-kind")
@pytest.mark.requirement("OIDC-BCLOGOUT-4.1-1")
def test_a_logout_token_passes_for_no_other_kind(browser, told_client, receiver, by_hand):
    signed_in_to(told_client, browser)
    post(browser, "sign-out")
    by_hand.attempt_one()
    token = receiver.next().token

    assert told_client.userinfo(token).status_int == 401
    hinted = told_client.answer(told_client.authorize(browser, id_token_hint=token))
    assert hinted["error"] == "invalid_request"
