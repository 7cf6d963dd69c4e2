"""The central session: its cookies, its life, and what get-session says of it."""

import re

import pytest

from tests.helpers.browser import Browser
from tests.helpers.cookies import cookies_set_by
from tests.helpers.production import production_app, production_browser, signed_in_cookies

GET_SESSION = "/api/auth/get-session"
LIST_SESSIONS = "/api/auth/list-sessions"
WEEK = "Max-Age=604800"
COMMON = {"Path=/", "HttpOnly", "SameSite=Lax"}
VALUE = re.compile(r"[A-Za-z0-9]{43}\.[A-Za-z0-9_-]{43}")


def _signing_in(browser):
    """Return the answer that sets the session's cookies."""
    page = browser.get("/sign-in")
    leave = page.forms[0].submit("choice", value="sign-in")
    return browser.visit(leave.location)


def test_over_http_the_cookies_are_plain(browser):
    cookies = cookies_set_by(_signing_in(browser))

    session = cookies["authservice.session_token"]
    companion = cookies["authservice.session_host"]
    assert session.attributes == COMMON | {WEEK}
    assert companion.attributes == COMMON | {WEEK}
    assert VALUE.fullmatch(session.value)
    assert re.fullmatch(r"[A-Za-z0-9_-]{43}", companion.value)


@pytest.mark.attack("OWASP-SESSION-4")
def test_over_https_the_names_promise_what_the_attributes_say(make_app):
    app = make_app(auth__url="https://localhost:37960")
    cookies = cookies_set_by(_signing_in(Browser(app, origin="https://localhost:37960")))

    assert cookies["__Secure-authservice.session_token"].attributes == COMMON | {WEEK, "secure"}
    assert cookies["__Host-authservice.session_host"].attributes == COMMON | {WEEK, "secure"}
    assert all(name.startswith("__") for name in cookies)


@pytest.mark.parametrize("domain", [".example.com", "example.com"])
def test_in_production_the_session_is_shared_and_its_companion_is_not(
    make_app, monkeypatch, database, turnable_clock, domain
):
    app = production_app(make_app, monkeypatch, auth__cookie_domain=domain)
    browser = production_browser(app, signed_in_cookies(app, database))
    turnable_clock.advance(days=2)

    cookies = cookies_set_by(browser.get(GET_SESSION))

    shared, own = cookies["__Secure-authservice.session_token"], COMMON | {WEEK, "secure"}
    assert shared.attributes == own | {"Domain=.example.com"}
    assert cookies["__Host-authservice.session_host"].attributes == own


def test_without_a_cookie_domain_nothing_is_shared(make_app, monkeypatch, database, turnable_clock):
    app = production_app(make_app, monkeypatch, auth__cookie_domain="")
    browser = production_browser(app, signed_in_cookies(app, database))
    turnable_clock.advance(days=2)

    cookies = cookies_set_by(browser.get(GET_SESSION))

    assert cookies["__Secure-authservice.session_token"].attributes == COMMON | {WEEK, "secure"}


@pytest.mark.story("get_session")
def test_get_session_has_exactly_the_published_members(browser):
    browser.sign_in()

    content = browser.session()

    assert set(content) == {"session", "user"}
    assert set(content["session"]) == {
        "id",
        "expiresAt",
        "token",
        "createdAt",
        "updatedAt",
        "ipAddress",
        "userAgent",
        "userId",
    }
    assert set(content["user"]) == {
        "id",
        "name",
        "email",
        "emailVerified",
        "image",
        "username",
        "createdAt",
        "updatedAt",
    }
    assert content["session"]["userId"] == content["user"]["id"]


def test_where_a_person_is_signed_in_the_person_alone_is_told(browser):
    browser.extra_environ["HTTP_USER_AGENT"] = "Test/1.0"
    browser.sign_in()

    (listed,) = browser.get(LIST_SESSIONS).json
    told = browser.session()["session"]

    assert (listed["ipAddress"], listed["userAgent"]) == ("127.0.0.1", "Test/1.0")
    assert (told["ipAddress"], told["userAgent"]) == (None, None)


def test_dates_are_iso_8601_in_utc_with_milliseconds(browser):
    browser.sign_in()
    content = browser.session()

    dates = [content["session"][name] for name in ("expiresAt", "createdAt", "updatedAt")]
    dates += [content["user"][name] for name in ("createdAt", "updatedAt")]
    for date in dates:
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", date)


@pytest.mark.attack("OWASP-SESSION-3")
def test_the_handle_is_not_the_secret(browser):
    cookies = cookies_set_by(_signing_in(browser))
    token = cookies["authservice.session_token"].value.split(".")[0]

    content = browser.get(GET_SESSION)

    assert token not in content.text
    assert content.json["session"]["token"]


@pytest.mark.attack("OWASP-SESSION-5", "FAILURES-40")
def test_nobody_may_store_it(browser):
    assert browser.get(GET_SESSION).headers["Cache-Control"] == "no-store"
    browser.sign_in()
    assert browser.get(GET_SESSION).headers["Cache-Control"] == "no-store"


def test_without_a_session_it_is_null(browser):
    answer = browser.get(GET_SESSION)

    assert answer.status_int == 200
    assert answer.content_type == "application/json"
    assert answer.body == b"null"
    assert "Set-Cookie" not in answer.headers


def test_a_nul_in_the_user_agent_is_left_out(browser):
    browser.extra_environ["HTTP_USER_AGENT"] = "a\x00b"
    browser.sign_in()

    assert browser.get(LIST_SESSIONS).json[0]["userAgent"] == "ab"


def test_a_long_user_agent_is_cut(browser):
    browser.extra_environ["HTTP_USER_AGENT"] = "x" * 5000
    browser.sign_in()

    assert browser.get(LIST_SESSIONS).json[0]["userAgent"] == "x" * 500


@pytest.mark.attack("OWASP-SESSION-2")
def test_a_token_planted_before_the_sign_in_is_not_taken_over(app, browser):
    attacker = Browser(app)
    planted = cookies_set_by(_signing_in(attacker))["authservice.session_token"].value

    victim = Browser(app)
    victim.set_cookie("authservice.session_token", planted)
    made = cookies_set_by(_signing_in(victim))["authservice.session_token"].value

    assert made != planted
    assert victim.session()["session"]["id"] != attacker.session()["session"]["id"]
