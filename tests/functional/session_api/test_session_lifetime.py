"""How long the central session lives: seven days from the last visit, and ninety days at most."""

from datetime import datetime, timedelta

import pytest

from tests.helpers.browser import Browser
from tests.helpers.cookies import cookies_set_by

GET_SESSION = "/api/auth/get-session"
NAMES = {"authservice.session_token", "authservice.session_host"}


@pytest.fixture
def signed_in(turnable_clock, browser):
    browser.sign_in()
    return browser


def _life(content):
    ends, began = content["session"]["expiresAt"], content["session"]["createdAt"]
    return datetime.fromisoformat(ends) - datetime.fromisoformat(began)


def test_a_session_begins_with_seven_days(signed_in):
    assert _life(signed_in.session()) == timedelta(days=7)


@pytest.mark.parametrize("later", [{"seconds": 1}, {"hours": 23}, {"days": 1}])
def test_within_a_day_nothing_is_extended(signed_in, turnable_clock, later):
    turnable_clock.advance(**later)

    answer = signed_in.get(GET_SESSION)

    assert _life(answer.json) == timedelta(days=7)
    assert "Set-Cookie" not in answer.headers


def test_after_a_day_it_is_extended_and_the_cookies_are_set_again(signed_in, turnable_clock):
    before = signed_in.session()
    turnable_clock.advance(days=1, milliseconds=1)

    answer = signed_in.get(GET_SESSION)

    assert _life(answer.json) == timedelta(days=8, milliseconds=1)
    assert answer.json["session"]["updatedAt"] > before["session"]["updatedAt"]
    assert set(cookies_set_by(answer)) == NAMES
    assert all("Max-Age=604800" in cookie.attributes for cookie in cookies_set_by(answer).values())
    assert _life(signed_in.session()) == timedelta(days=8, milliseconds=1)


def test_the_next_extension_comes_a_day_after_the_last(signed_in, turnable_clock):
    turnable_clock.advance(days=1, seconds=1)
    signed_in.get(GET_SESSION)
    turnable_clock.advance(hours=23)
    assert "Set-Cookie" not in signed_in.get(GET_SESSION).headers

    turnable_clock.advance(hours=1, seconds=1)

    assert "Set-Cookie" in signed_in.get(GET_SESSION).headers


@pytest.mark.attack("FAILURES-43")
def test_the_beginning_never_moves(signed_in, turnable_clock):
    began = signed_in.session()["session"]["createdAt"]
    token = signed_in.cookies["authservice.session_token"]

    for _ in range(10):
        turnable_clock.advance(days=6)
        assert signed_in.session()["session"]["createdAt"] == began

    assert signed_in.cookies["authservice.session_token"] == token


@pytest.mark.parametrize("value", ["true", "1"])
def test_a_caller_that_cannot_relay_cookies_extends_nothing(signed_in, turnable_clock, value):
    turnable_clock.advance(days=3)

    answer = signed_in.get(f"{GET_SESSION}?disableRefresh={value}")

    assert _life(answer.json) == timedelta(days=7)
    assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize("query", ["disableRefresh=false", "disableRefresh=", "other=true"])
def test_any_other_value_extends(signed_in, turnable_clock, query):
    turnable_clock.advance(days=3)

    assert "Set-Cookie" in signed_in.get(f"{GET_SESSION}?{query}").headers


@pytest.mark.attack("OWASP-SESSION-6")
@pytest.mark.parametrize("query", ["", "?disableRefresh=true"])
def test_an_expired_session_is_null_and_its_cookies_are_cleared(signed_in, turnable_clock, query):
    turnable_clock.advance(days=7)

    answer = signed_in.get(f"{GET_SESSION}{query}")

    assert answer.body == b"null"
    cleared = cookies_set_by(answer)
    assert set(cleared) == NAMES
    for cookie in cleared.values():
        assert cookie.value == ""
        assert cookie.attributes == {"Max-Age=0", "Path=/", "HttpOnly", "SameSite=Lax"}


def test_a_moment_before_the_end_it_is_alive(signed_in, turnable_clock):
    turnable_clock.advance(days=6, hours=23, minutes=59, seconds=59, milliseconds=999)

    assert signed_in.session() is not None


def test_the_lifetimes_are_settings(make_app, turnable_clock):
    app = make_app(lifetimes__session="100", lifetimes__session_update="10")
    browser = Browser(app)
    browser.sign_in()
    turnable_clock.advance(seconds=11)

    answer = browser.get(GET_SESSION)

    assert _life(answer.json) == timedelta(seconds=111)
    assert all("Max-Age=100" in cookie.attributes for cookie in cookies_set_by(answer).values())


def _visit_each_day(browser, turnable_clock, days):
    for _ in range(days):
        turnable_clock.advance(days=1, seconds=1)
        browser.get(GET_SESSION)


@pytest.mark.attack("OWASP-SESSION-6")
def test_no_session_outlives_ninety_days_however_often_it_is_used(signed_in, turnable_clock):
    _visit_each_day(signed_in, turnable_clock, 89)
    assert _life(signed_in.session()) == timedelta(days=90)

    turnable_clock.advance(days=1)

    answer = signed_in.get(GET_SESSION)
    assert answer.body == b"null"
    assert {cookie.value for cookie in cookies_set_by(answer).values()} == {""}
    assert signed_in.get("/api/auth/token", expect_errors=True).status_int == 401


def test_its_cookies_end_with_it(signed_in, turnable_clock):
    _visit_each_day(signed_in, turnable_clock, 85)
    turnable_clock.advance(days=2)

    answer = signed_in.get(GET_SESSION)

    left = 90 * 86400 - (87 * 86400 + 85)
    assert set(cookies_set_by(answer)) == NAMES
    for cookie in cookies_set_by(answer).values():
        assert f"Max-Age={left}" in cookie.attributes


@pytest.mark.attack("OWASP-SESSION-6")
def test_a_session_that_was_to_live_longer_ends_when_the_setting_says_so(make_app, turnable_clock):
    before = Browser(make_app(lifetimes__session="604800"))
    before.sign_in()
    turnable_clock.advance(hours=12)
    lowered = {"lifetimes__session": "3600", "lifetimes__session_update": "60"}
    after = Browser(make_app(lifetimes__session_max="43200", **lowered))

    answer = after.get(GET_SESSION, headers={"Cookie": before.cookie_header()})

    assert before.session() is not None
    assert answer.body == b"null"
