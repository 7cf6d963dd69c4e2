"""The cookies: names, values and attributes in each configuration."""

from datetime import UTC, datetime, timedelta
from http.cookies import SimpleCookie

import pytest
from pyramid.response import Response

from authservice.crypto.server_secret import ServerSecret
from authservice.services.people.users import User
from authservice.services.sessions.sessions import CentralSession
from authservice.web.request.cookies import Cookies
from tests.unit.settings.loading import local, production

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ADA = User("ada", "Ada", "ada@example.com", True, None, NOW, NOW)
SESSION = CentralSession("session-id", NOW + timedelta(days=7), NOW, NOW, None, None, ADA)
SHARED = "__Secure-app.session_token"
COMPANION = "__Host-app.session_host"
BROWSER = "__Host-app.browser"
ATTEMPT = "__Host-app.sign_in.abcdefghijkl"
WEEK = str(7 * 24 * 3600)


@pytest.fixture
def cookies():
    return Cookies(production({"auth.cookie_prefix": "app"}), ServerSecret(bytes(range(32))))


def given(do, *arguments):
    """Return the cookies that an answer sets, by name."""
    response = Response()
    do(response, *arguments)
    found = SimpleCookie()
    for header in response.headers.getall("Set-Cookie"):
        found.load(header)
    return found


def sent(found):
    """Return them as the header of the next request."""
    return "; ".join(f"{name}={morsel.value}" for name, morsel in found.items())


def attributes(morsel):
    names = ("domain", "path", "max-age", "secure", "httponly", "samesite")
    return tuple(morsel[name] for name in names)


HOST_ONLY = ("", "/", WEEK, True, True, "Lax")


def test_a_session_is_shared_below_the_domain_and_its_companion_is_not(cookies):
    found = given(cookies.set_session, SESSION, "token")

    assert set(found) == {SHARED, COMPANION}
    assert attributes(found[SHARED]) == (".example.com", "/", WEEK, True, True, "Lax")
    assert attributes(found[COMPANION]) == HOST_ONLY
    assert list(cookies.session_tokens(sent(found))) == ["token"]
    assert cookies.has_companion_of(sent(found), "session-id", "token")
    assert not cookies.has_companion_of(sent(found), "another-id", "token")


def test_the_companion_of_a_renewed_session_hangs_on_the_new_token_too(cookies):
    before = sent(given(cookies.set_session, SESSION, "token"))
    after = sent(given(cookies.set_session, SESSION, "-renewed"))

    assert cookies.has_companion_of(after, "session-id", "-renewed")
    assert not cookies.has_companion_of(before, "session-id", "-renewed")
    assert not cookies.has_companion_of(after, "session-id", "-again")
    assert not cookies.has_companion_of(after, "session-id", "token")


def test_over_http_the_names_promise_nothing():
    cookies = Cookies(local({"auth.cookie_prefix": "app"}), ServerSecret(bytes(range(32))))

    found = given(cookies.set_session, SESSION, "token")

    assert set(found) == {"app.session_token", "app.session_host"}
    assert attributes(found["app.session_token"]) == ("", "/", WEEK, "", True, "Lax")
    assert attributes(found["app.session_host"]) == ("", "/", WEEK, "", True, "Lax")


def test_each_of_the_two_is_extended_by_itself(cookies):
    both = given(cookies.set_session, SESSION, "token")

    assert given(cookies.extend_session, SESSION, "token").output() == both[SHARED].output()
    assert given(cookies.extend_companion, SESSION, "token").output() == both[COMPANION].output()


def test_both_are_cleared_with_the_attributes_with_which_they_were_set(cookies):
    found = given(cookies.clear_session)

    assert [found[name].value for name in (SHARED, COMPANION)] == ["", ""]
    assert attributes(found[SHARED]) == (".example.com", "/", "0", True, True, "Lax")
    assert attributes(found[COMPANION]) == ("", "/", "0", True, True, "Lax")


def test_the_browser_is_named_until_it_is_closed(cookies):
    found = given(cookies.set_browser, "value")

    assert set(found) == {BROWSER}
    assert attributes(found[BROWSER]) == ("", "/", "", True, True, "Lax")
    assert cookies.browser(sent(found)) == "value"
    assert cookies.browser("") is None


def test_an_attempt_is_bound_to_the_browser_for_ten_minutes(cookies):
    found = given(cookies.set_attempt, "abcdefghijklmnop")

    assert set(found) == {ATTEMPT}
    assert attributes(found[ATTEMPT]) == ("", "/", "600", True, True, "Lax")
    assert cookies.has_attempt(sent(found), "abcdefghijklmnop")
    assert not cookies.has_attempt(sent(found), "abcdefghijklXXXX")
    assert not cookies.has_attempt("", "abcdefghijklmnop")


def test_a_forgotten_attempt_is_cleared(cookies):
    found = given(cookies.clear_attempt, "abcdefghijklmnop")

    assert found[ATTEMPT].value == ""
    assert attributes(found[ATTEMPT]) == ("", "/", "0", True, True, "Lax")


def test_what_was_not_signed_here_is_no_session(subtests, cookies):
    for value in ("", ".", "token", "token.", ".code", "token.code"):
        with subtests.test(value=value):
            assert list(cookies.session_tokens(f"{SHARED}={value}")) == []


def test_all_cookies_of_the_name_are_read_in_their_order(cookies):
    one, two = (
        given(cookies.extend_session, SESSION, token)[SHARED].value for token in ("one", "two")
    )
    header = f'x{SHARED}={one};{SHARED}={two} ; a=b;{SHARED}=junk; {SHARED}="{one}"'

    assert list(cookies.session_tokens(header)) == ["two", "one"]


def test_each_cookie_of_the_name_is_read_once(cookies):
    value = given(cookies.extend_session, SESSION, "token")[SHARED].value

    assert list(cookies.session_tokens("; ".join([f"{SHARED}={value}"] * 9))) == ["token"]


def test_of_many_companions_a_few_are_compared(cookies):
    true = sent(given(cookies.extend_companion, SESSION, "token"))
    junk = [f"{COMPANION}=x{number}" for number in range(9)]

    assert cookies.has_companion_of("; ".join([*junk[:4], true]), "session-id", "token")
    assert not cookies.has_companion_of("; ".join([*junk, true]), "session-id", "token")


def test_a_companion_is_no_session_and_an_attempt_no_companion(cookies):
    companion = given(cookies.extend_companion, SESSION, "token")[COMPANION].value
    attempt = given(cookies.set_attempt, "session-id")["__Host-app.sign_in.session-id"].value

    assert list(cookies.session_tokens(f"{SHARED}=session-id.{companion}")) == []
    assert not cookies.has_companion_of(f"{COMPANION}={attempt}", "session-id", "token")
