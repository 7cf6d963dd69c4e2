"""RP-initiated logout with a hint: when a client may end the session without asking."""

import pytest
from sqlalchemy import delete, update

from authservice.models import oauth_client, session
from tests.helpers.browser import ORIGIN, Browser
from tests.helpers.end_session import (
    BYE,
    access_tokens_left,
    ask,
    has_ended,
    is_confirmation,
    is_refusal,
    left_to,
    sessions_left,
    shows_signed_out,
)
from tests.helpers.production import sign_in_stranger
from tests.helpers.published_keys import decoded
from tests.helpers.relying_party import RelyingParty

LOGOUT = {"enable_end_session": True, "post_logout_redirect_uris": [BYE]}


@pytest.fixture
def client(app, database):
    return RelyingParty.registered(app, database, **LOGOUT)


@pytest.fixture
def other(app, database):
    return RelyingParty.registered(app, database, name="Other App", **LOGOUT)


@pytest.fixture
def hint(turnable_clock, browser, client):
    """The ID token of a user who is signed in to the client."""
    return id_token(browser, client)


def id_token(browser, client):
    return client.redeem(client.sign_in_with(browser)).json["id_token"]


@pytest.mark.story("oauth2.end_session")
@pytest.mark.attack("FAILURES-27")
@pytest.mark.requirement("OIDC-RPLOGOUT-2-1", "OIDC-RPLOGOUT-2-7", "OIDC-RPLOGOUT-3-3")
def test_a_valid_hint_ends_the_session_and_leads_back(browser, hint, database):
    answer = ask(browser, hint, post_logout_redirect_uri=BYE, state="a state & more=ü")

    assert left_to(answer, BYE) == {"state": "a state & more=ü"}
    has_ended(answer, browser)
    assert sessions_left(database) == 0
    assert access_tokens_left(database) == 0


@pytest.mark.requirement("OIDC-RPLOGOUT-3-3")
def test_a_registered_query_is_kept_beside_the_state(app, database, browser):
    client = RelyingParty.registered(
        app, database, enable_end_session=True, post_logout_redirect_uris=[f"{BYE}?from=us"]
    )
    hint = id_token(browser, client)

    answer = ask(browser, hint, post_logout_redirect_uri=f"{BYE}?from=us", state="s")

    assert answer.location == f"{BYE}?from=us&state=s"


@pytest.mark.requirement("OIDC-RPLOGOUT-3-4")
def test_without_an_address_our_own_page_says_that_it_is_done(browser, hint):
    answer = ask(browser, hint, state="not for us")

    has_ended(answer, browser)
    shows_signed_out(browser, answer)


@pytest.mark.requirement("OIDC-RPLOGOUT-2-3")
def test_an_expired_hint_is_good(browser, hint, turnable_clock):
    turnable_clock.advance(days=5)

    has_ended(ask(browser, hint), browser)


@pytest.mark.requirement("OIDC-RPLOGOUT-2-5")
def test_the_hint_and_client_id_may_come_together(browser, client, hint):
    has_ended(ask(browser, hint, client_id=client.client_id), browser)


@pytest.mark.requirement("OIDC-BCLOGOUT-2.7-1")
def test_refresh_tokens_outlive_the_logout(browser, client, turnable_clock):
    tokens = client.redeem(client.sign_in_with(browser)).json

    ask(browser, tokens["id_token"])

    assert client.userinfo(tokens["access_token"]).status_int == 401
    assert client.refresh(tokens["refresh_token"]).status_int == 200


def test_a_shared_cookie_suffices_with_a_hint(browser, hint, database):
    only_shared = {"Cookie": f"authservice.session_token={shared_cookie(browser)}"}
    browser.reset()

    answer = browser.get(
        "/api/auth/oauth2/end-session", {"id_token_hint": hint}, headers=only_shared
    )

    assert answer.status_int == 303
    assert sessions_left(database) == 0


def shared_cookie(browser):
    return browser.cookies["authservice.session_token"].strip('"')


def test_every_session_that_the_cookies_name_ends(app, browser, hint, database):
    second = Browser(app)
    second.sign_in()
    pair = "; ".join(
        f"authservice.session_token={shared_cookie(each)}" for each in (browser, second)
    )
    browser.reset()

    answer = browser.get(
        "/api/auth/oauth2/end-session", {"id_token_hint": hint}, headers={"Cookie": pair}
    )

    assert answer.status_int == 303
    assert sessions_left(database) == 0


def test_a_second_time_nobody_is_asked_again(browser, hint):
    ask(browser, hint)

    assert ask(browser, hint, post_logout_redirect_uri=BYE, state="s").location == f"{BYE}?state=s"


@pytest.mark.requirement("OIDC-RPLOGOUT-2-4")
def test_a_session_that_is_gone_stands_for_the_same_person_s_new_one(browser, hint, database):
    with database.transaction() as connection:
        connection.execute(delete(session))
    browser.sign_in()

    has_ended(ask(browser, hint), browser)


@pytest.mark.requirement("OIDC-RPLOGOUT-2-4")
def test_a_session_that_has_expired_is_gone(browser, hint, turnable_clock):
    turnable_clock.advance(days=8)
    browser.sign_in()

    has_ended(ask(browser, hint), browser)


def test_a_hint_without_a_session_is_good_for_its_person(browser, client, hint):
    tokens = client.redeem(client.sign_in_with(browser)).json
    browser.post("/api/auth/sign-out", headers={"Origin": ORIGIN})
    newer = client.refresh(tokens["refresh_token"]).json["id_token"]
    assert "sid" not in decoded(newer, client.http)[1]
    browser.sign_in()

    has_ended(ask(browser, newer), browser)


@pytest.mark.requirement("OIDC-RPLOGOUT-2-9")
def test_a_hint_of_the_same_person_s_other_session_asks(app, browser, hint, database):
    second = Browser(app)
    second.sign_in()

    is_confirmation(ask(second, hint))
    assert sessions_left(database) == 2


@pytest.mark.requirement("OIDC-RPLOGOUT-2-9")
@pytest.mark.parametrize("gone", [True, False])
def test_another_person_s_hint_asks(app, hint, database, gone):
    if gone:
        with database.transaction() as connection:
            connection.execute(delete(session))
    stranger = sign_in_stranger(Browser(app), app, database)

    is_confirmation(ask(stranger, hint))
    assert stranger.session() is not None


def test_a_session_that_lives_in_another_browser_goes_on_there(app, hint, database):
    answer = ask(Browser(app), hint, post_logout_redirect_uri=BYE)

    assert left_to(answer, BYE) == {}
    assert sessions_left(database) == 1


def test_a_client_that_may_not_end_sessions_asks(app, database, browser):
    client = RelyingParty.registered(app, database, post_logout_redirect_uris=[BYE])
    hint = id_token(browser, client)

    is_confirmation(ask(browser, hint, post_logout_redirect_uri=BYE))
    assert browser.session() is not None


def test_a_disabled_client_s_hint_asks_and_leads_nowhere(browser, hint, database):
    with database.transaction() as connection:
        connection.execute(update(oauth_client).values(disabled=True))

    page = is_confirmation(ask(browser, hint, post_logout_redirect_uri=BYE))

    shows_signed_out(browser, page.forms[0].submit("decision", value="sign-out"))


@pytest.mark.requirement("OIDC-RPLOGOUT-2-5", "OIDC-RPLOGOUT-4-1")
def test_a_client_id_that_disagrees_with_the_hint_is_refused(browser, hint, other):
    is_refusal(ask(browser, hint, client_id=other.client_id), "client_id differs")
    assert browser.session() is not None


@pytest.mark.requirement("OIDC-RPLOGOUT-3-1")
def test_another_client_s_address_is_not_followed(app, database, browser, hint):
    elsewhere = "https://other.example.com/bye"
    RelyingParty.registered(app, database, post_logout_redirect_uris=[elsewhere])

    answer = ask(browser, hint, post_logout_redirect_uri=elsewhere)

    is_refusal(answer, "post_logout_redirect_uri is not one of those registered")
    assert browser.session() is not None


@pytest.mark.attack("BROWSER-open-redirect")
@pytest.mark.requirement("OIDC-RPLOGOUT-2-6", "OIDC-RPLOGOUT-3-1", "OIDC-RPLOGOUT-3.1-1")
def test_an_address_that_is_not_registered_is_never_followed(subtests, browser, hint):
    for uri in (
        f"{BYE}/",
        f"{BYE}?x=y",
        f"{BYE}#x",
        "https://APP.example.com/bye",
        "https://app.example.com:443/bye",
        "https://app.example.com/BYE",
        "https://app.example.com/callback",
        "//app.example.com/bye",
        "javascript:alert(1)",
        f"{ORIGIN}/",
    ):
        with subtests.test(uri=uri):
            answer = ask(browser, hint, post_logout_redirect_uri=uri, state="s")

            is_refusal(answer, "post_logout_redirect_uri is not one of those registered")
            assert browser.session() is not None


@pytest.mark.requirement("OIDC-RPLOGOUT-4-1")
@pytest.mark.parametrize("name", ["id_token_hint", "post_logout_redirect_uri", "state"])
def test_a_repeated_parameter_is_refused(browser, hint, name):
    once = {"id_token_hint": hint, "post_logout_redirect_uri": BYE, "state": "s"}

    answer = ask(browser, **{**once, name: [once[name]] * 2})

    is_refusal(answer, f"Given more than once: {name}.")
    assert browser.session() is not None
