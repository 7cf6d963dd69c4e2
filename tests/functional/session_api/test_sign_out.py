"""Signing out: the session ends, its tokens with it, and the browser forgets."""

import pytest
from sqlalchemy import func, select

from authservice.models import oauth_access_token, oauth_refresh_token, session
from tests.helpers.browser import ORIGIN, Browser
from tests.helpers.cookies import cookies_set_by
from tests.helpers.production import production_app, production_browser, signed_in_cookies

SIGN_OUT = "/api/auth/sign-out"
HEADERS = {"Origin": ORIGIN}
CLEARED = {"Max-Age=0", "Path=/", "HttpOnly", "SameSite=Lax"}


def _sign_out(browser, body=None, **headers):
    return browser.post_json(SIGN_OUT, body or {}, headers=HEADERS | headers)


def _sessions(database):
    return database.reader.scalar(select(func.count()).select_from(session))


@pytest.mark.story("sign_out")
def test_the_session_ends_and_both_cookies_are_cleared(browser, database):
    browser.sign_in()

    answer = _sign_out(browser)

    assert answer.json == {"success": True}
    assert answer.headers["Cache-Control"] == "no-store"
    cleared = cookies_set_by(answer)
    assert set(cleared) == {"authservice.session_token", "authservice.session_host"}
    for cookie in cleared.values():
        assert (cookie.value, cookie.attributes) == ("", CLEARED)
    assert _sessions(database) == 0
    assert browser.session() is None


@pytest.mark.attack("OWASP-SESSION-7", "FAILURES-39")
def test_in_production_they_are_cleared_where_they_were_set(make_app, monkeypatch, database):
    app = production_app(make_app, monkeypatch)
    browser = production_browser(app, signed_in_cookies(app, database))

    answer = browser.post_json(SIGN_OUT, {}, headers={"Origin": browser.origin})

    cleared = cookies_set_by(answer)
    shared = cleared["__Secure-authservice.session_token"]
    assert shared.attributes == CLEARED | {"secure", "Domain=.example.com"}
    assert cleared["__Host-authservice.session_host"].attributes == CLEARED | {"secure"}
    assert _sessions(database) == 0


@pytest.mark.attack("OWASP-SESSION-7", "FAILURES-42")
def test_the_cookie_is_worth_nothing_afterwards(app, browser):
    browser.sign_in()
    kept = dict(browser.cookies)
    _sign_out(browser)

    thief = Browser(app)
    for name, value in kept.items():
        thief.set_cookie(name, value)

    assert thief.session() is None


def test_without_a_session_it_answers_the_same(browser):
    for _ in range(2):
        answer = _sign_out(browser)
        assert answer.json == {"success": True}
        assert len(cookies_set_by(answer)) == 2


def test_an_empty_body_is_accepted(browser, database):
    browser.sign_in()

    assert browser.post(SIGN_OUT, headers=HEADERS).json == {"success": True}
    assert _sessions(database) == 0


def test_every_session_that_the_cookies_name_ends(app, browser, database):
    other = Browser(app)
    browser.sign_in()
    other.sign_in()
    name = "authservice.session_token"
    both = f"{name}={browser.cookies[name]}; {name}={other.cookies[name]}"

    _sign_out(Browser(app), Cookie=both)

    assert _sessions(database) == 0


def test_other_sessions_of_the_person_stay(app, browser):
    other = Browser(app)
    browser.sign_in()
    other.sign_in()

    _sign_out(browser)

    assert other.session() is not None


def test_an_expired_session_is_removed(browser, database, turnable_clock):
    browser.sign_in()
    cookies = browser.cookie_header()
    turnable_clock.advance(days=8)

    _sign_out(browser, Cookie=cookies)

    assert _sessions(database) == 0


@pytest.mark.attack("FAILURES-29")
@pytest.mark.requirement("OIDC-CORE-11-3")
def test_the_access_tokens_of_the_session_end_and_the_refresh_token_lives_on(
    browser, relying_party, database
):
    tokens = relying_party.redeem(relying_party.sign_in_with(browser)).json

    _sign_out(browser)

    assert database.reader.execute(select(oauth_access_token)).all() == []
    assert relying_party.userinfo(tokens["access_token"]).status_int == 401
    assert database.reader.scalars(select(oauth_refresh_token.c.session_id)).all() == [None]
    newer = relying_party.refresh(tokens["refresh_token"]).json
    assert relying_party.userinfo(newer["access_token"]).status_int == 200


@pytest.mark.story("sign_out_page", "landing")
def test_the_form_on_the_landing_page_signs_out(browser, database):
    browser.sign_in()
    landing = browser.get("/")

    answer = landing.forms[0].submit()

    assert answer.status_int == 303
    assert answer.location == f"{ORIGIN}/signed-out"
    assert _sessions(database) == 0
    assert "You are signed in" not in browser.get("/").text
    assert len(cookies_set_by(answer)) >= 2


@pytest.mark.attack("BROWSER-csrf-forms")
def test_the_form_needs_its_token(subtests, browser, database):
    for token in (None, "", "x" * 43):
        with subtests.test(token=token):
            browser.sign_in()
            form = {} if token is None else {"csrf_token": token}

            answer = browser.post("/sign-out", form, headers=HEADERS, expect_errors=True)

            assert answer.status_int == 403
            assert _sessions(database) == 1


@pytest.mark.attack("BROWSER-csrf-logout", "FAILURES-26")
def test_signing_out_by_get_does_nothing(browser):
    browser.sign_in()

    for path in (SIGN_OUT, "/sign-out"):
        assert browser.get(path, expect_errors=True).status_int == 405
    assert browser.session() is not None
