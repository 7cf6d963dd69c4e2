"""RP-initiated logout that asks first: the confirmation, staying, and requests by POST."""

import pytest

from tests.helpers.browser import Browser
from tests.helpers.cookies import cookies_set_by
from tests.helpers.end_session import (
    BYE,
    COOKIES,
    END_SESSION,
    access_tokens_left,
    ask,
    has_ended,
    is_confirmation,
    is_refusal,
    left_to,
    sessions_left,
    shows_signed_out,
)
from tests.helpers.relying_party import RelyingParty

CONFIRM = f"{END_SESSION}/confirm"


@pytest.fixture
def client(app, database):
    return RelyingParty.registered(
        app, database, enable_end_session=True, post_logout_redirect_uris=[BYE]
    )


@pytest.fixture
def hint(turnable_clock, browser, client):
    return client.redeem(client.sign_in_with(browser)).json["id_token"]


@pytest.fixture
def page(browser, client, hint):
    """The confirmation page of a request that came without a hint."""
    sent = {"client_id": client.client_id, "post_logout_redirect_uri": BYE, "state": "s"}
    return is_confirmation(ask(browser, **sent))


def decide(page, decision):
    return page.forms[0].submit("decision", value=decision)


def test_the_page_names_client_and_person_and_changes_nothing(browser, page, database):
    assert "Example App" in page.text
    assert browser.session()["user"]["name"] in page.text
    assert sessions_left(database) == 1


def test_no_other_page_may_frame_it(page):
    assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]


@pytest.mark.story("oauth2.end_session_confirm")
@pytest.mark.requirement("OIDC-RPLOGOUT-2-10")
def test_confirming_ends_the_session_and_leads_back(browser, page, database):
    answer = decide(page, "sign-out")

    assert left_to(answer, BYE) == {"state": "s"}
    has_ended(answer, browser)
    assert sessions_left(database) == 0
    assert access_tokens_left(database) == 0


@pytest.mark.requirement("OIDC-RPLOGOUT-2-11")
def test_staying_changes_nothing_and_leads_to_the_start_page(browser, page, database):
    answer = decide(page, "stay")

    assert left_to(answer, "http://localhost:37960/") == {}
    assert not COOKIES & set(cookies_set_by(answer))
    assert sessions_left(database) == 1
    assert browser.session() is not None


@pytest.mark.requirement("OIDC-RPLOGOUT-2-11")
def test_sending_the_form_without_a_decision_is_staying(browser, page):
    page.forms[0].submit()

    assert browser.session() is not None


@pytest.mark.attack("TOKENS-replay-interaction")
def test_a_confirmation_is_for_the_session_that_it_was_shown_to(browser, page):
    decide(page, "sign-out")
    browser.sign_in()

    answer = page.forms[0].submit("decision", value="sign-out", expect_errors=True)

    assert answer.status_int == 403
    assert browser.session() is not None


@pytest.mark.attack("BROWSER-csrf-logout", "FAILURES-26")
@pytest.mark.requirement("OIDC-RPLOGOUT-2-8", "OIDC-RPLOGOUT-2-12", "OIDC-RPLOGOUT-3-2")
def test_a_request_that_says_nothing_asks_and_ends_on_our_page(browser, hint):
    for parameters in ({}, {"state": "s"}, {"post_logout_redirect_uri": BYE}, {"x": "y"}):
        page = is_confirmation(ask(browser, **parameters))
        assert "Example App" not in page.text

    answer = decide(page, "sign-out")
    has_ended(answer, browser)
    shows_signed_out(browser, answer)


@pytest.mark.requirement("OIDC-RPLOGOUT-2-13", "OIDC-RPLOGOUT-3-2")
@pytest.mark.parametrize("destination", ["iframe", "empty", "image"])
def test_where_nobody_is_signed_in_a_frame_asks_too(app, client, destination):
    browser = Browser(app)
    sent = {"client_id": client.client_id, "post_logout_redirect_uri": BYE}

    # A frame of another site brings no cookies, so somebody may be signed in.
    headers = {"Sec-Fetch-Dest": destination}
    page = is_confirmation(browser.get(END_SESSION, sent, headers=headers))

    assert "Nobody is signed in" in page.text
    assert decide(page, "sign-out").location == BYE


@pytest.mark.parametrize("headers", [{}, {"Sec-Fetch-Dest": "document"}])
@pytest.mark.parametrize("hint", [None, "", "undefined", "junk"])
def test_where_nobody_is_signed_in_nobody_is_asked(app, client, headers, hint):
    browser = Browser(app)
    browser.cookies["authservice.session_token"] = "ended"
    sent = {"client_id": client.client_id, "post_logout_redirect_uri": BYE, "state": "s"}
    if hint is not None:
        sent["id_token_hint"] = hint

    answer = browser.get(END_SESSION, sent, headers=headers)

    assert left_to(answer, BYE) == {"state": "s"}
    has_ended(answer, browser)


@pytest.mark.parametrize("left", ["", "undefined"])
def test_a_hint_that_a_script_left_blank_is_none(browser, client, page, left):
    sent = {"client_id": client.client_id, "post_logout_redirect_uri": BYE, "id_token_hint": left}

    is_confirmation(ask(browser, **sent))


def test_a_client_that_may_sign_nobody_out_leads_to_its_application(app, browser, database):
    plain = RelyingParty.registered(app, database, redirect_uris=["https://app.example.com/cb"])
    browser.sign_in()
    sent = {"client_id": plain.client_id, "post_logout_redirect_uri": "https://app.example.com/x"}

    page = is_confirmation(ask(browser, **sent))
    answer = decide(page, "sign-out")
    done = browser.follow_home(answer)

    has_ended(answer, browser)
    for each in (page, done, is_confirmation(ask(Browser(app), **sent))):
        assert each.html.find("a", href="https://app.example.com/").text == "Back to Example App"
        assert "https://app.example.com/x" not in each


def test_a_client_without_a_web_site_is_led_nowhere(app, browser, database):
    native = RelyingParty.registered(app, database, redirect_uris=["com.example:/cb"], public=True)
    sent = {"client_id": native.client_id, "post_logout_redirect_uri": "https://evil.example/"}

    page = is_confirmation(ask(browser, **sent))

    assert "evil.example" not in page
    assert not page.html.find("main").find_all("a")
    for client_id in (native.client_id, "unknown", ""):
        assert "Back to" not in browser.get("/signed-out", {"client_id": client_id})


@pytest.mark.requirement("OIDC-RPLOGOUT-4-1")
def test_an_unknown_client_id_is_refused(browser, hint):
    is_refusal(ask(browser, client_id="nobody"), "client_id names no client")
    assert browser.session() is not None


def test_an_unregistered_address_is_refused_before_anybody_is_asked(browser, client, hint):
    sent = {"client_id": client.client_id, "post_logout_redirect_uri": "https://evil.example/"}

    is_refusal(ask(browser, **sent), "post_logout_redirect_uri is not one of those registered")


@pytest.mark.attack("BROWSER-csrf-forms")
@pytest.mark.requirement("OIDC-RPLOGOUT-6-1")
def test_the_confirmation_needs_its_form_token(browser, page):
    form = {"logout": page.forms[0]["logout"].value, "decision": "sign-out"}

    answer = browser.post(CONFIRM, form, expect_errors=True)

    assert answer.status_int == 403
    assert browser.session() is not None


@pytest.mark.parametrize("value", ["", "junk", "https://evil.example/"])
def test_the_confirmation_follows_only_what_was_sealed(browser, page, value):
    page.forms[0]["logout"] = value

    answer = page.forms[0].submit("decision", value="sign-out", expect_errors=True)

    is_refusal(answer, "longer than a day")
    assert browser.session() is not None


@pytest.mark.parametrize("decision", ["sign-out", "stay"])
def test_a_confirmation_that_was_left_open_is_shown_again(
    browser, page, turnable_clock, decision, database
):
    turnable_clock.advance(hours=23)

    again = is_confirmation(browser.follow_home(decide(page, decision)))

    assert "Example App" in again.text
    assert sessions_left(database) == 1
    assert left_to(decide(again, "sign-out"), BYE) == {"state": "s"}


def test_after_a_day_it_is_not(browser, page, turnable_clock):
    turnable_clock.advance(hours=24)

    answer = page.forms[0].submit("decision", value="sign-out", expect_errors=True)

    is_refusal(answer, "longer than a day")
    assert browser.session() is not None


def test_a_confirmation_whose_browser_has_lost_its_cookies_is_shown_again(browser, page):
    session_cookie = browser.cookies["authservice.session_token"]
    browser.reset()

    answer = browser.post(CONFIRM, dict(page.forms[0].submit_fields("decision")))

    assert "Nobody is signed in" not in page.text
    assert left_to(browser.visit(answer.location), BYE) == {"state": "s"}
    headers = {"Cookie": f"authservice.session_token={session_cookie}"}
    assert is_confirmation(browser.visit(answer.location, headers=headers))


def posted(browser, *pairs):
    """Send the request by POST and follow it to its GET, as the browser does."""
    answer = browser.post(END_SESSION, list(pairs), expect_errors=True)
    assert answer.status_int == 303
    assert answer.location.startswith(f"http://localhost:37960{END_SESSION}?")
    return answer


@pytest.mark.requirement("OIDC-RPLOGOUT-2-1")
def test_a_post_goes_on_by_get_without_showing_what_it_holds(browser, hint):
    answer = posted(browser, ("id_token_hint", hint), ("post_logout_redirect_uri", BYE))

    assert hint not in answer.location
    assert "app.example.com" not in answer.location
    done = browser.visit(answer.location)
    assert done.location == BYE
    has_ended(done, browser)


@pytest.mark.requirement("OIDC-RPLOGOUT-2-13")
def test_a_post_without_a_hint_asks(browser, client, hint):
    answer = posted(browser, ("client_id", client.client_id), ("post_logout_redirect_uri", BYE))

    page = is_confirmation(browser.visit(answer.location))
    assert decide(page, "sign-out").location == BYE


def test_a_cross_site_post_brings_no_cookie_and_still_works(app, browser, hint, database):
    answer = posted(Browser(app), ("id_token_hint", hint))

    has_ended(browser.visit(answer.location), browser)
    assert sessions_left(database) == 0


def test_a_repeated_parameter_of_a_post_is_refused(browser, hint):
    answer = posted(browser, ("id_token_hint", hint), ("state", "a"), ("state", "b"))

    is_refusal(browser.visit(answer.location, expect_errors=True), "Given more than once: state.")
    assert browser.session() is not None


@pytest.mark.parametrize("sealed", ["", "junk"])
def test_an_altered_request_is_as_good_as_an_empty_one(browser, hint, sealed):
    is_confirmation(ask(browser, logout=sealed))


def test_a_request_that_was_sent_by_post_expires(browser, hint, turnable_clock):
    answer = posted(browser, ("id_token_hint", hint))
    turnable_clock.advance(minutes=10, seconds=1)

    assert "Example App" in is_confirmation(browser.visit(answer.location)).text
    assert browser.session() is not None


def test_a_sealed_request_is_no_confirmation(browser, page, hint):
    sealed = posted(browser, ("state", "s")).location.partition("logout=")[2]
    page.forms[0]["logout"] = sealed

    is_confirmation(browser.follow_home(decide(page, "sign-out")))
    assert browser.session() is not None


def test_what_a_page_held_asks_again(browser, page):
    again = is_confirmation(ask(browser, logout=page.forms[0]["logout"].value))

    assert "Example App" in again.text


@pytest.mark.story("signed_out")
def test_the_page_that_says_it_is_done_needs_nobody(app):
    page = Browser(app).get("/signed-out")

    assert "Signed out" in page.text
    assert page.html.find("a", href="/sign-in") is not None
