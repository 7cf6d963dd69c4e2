"""The companion cookie: without it a shared cookie, stolen or planted, is worth little."""

import pytest
from sqlalchemy import select

from authservice.models import oauth_consent
from tests.helpers.browser import ORIGIN, Browser
from tests.helpers.relying_party import AUTHORIZE
from tests.helpers.verifications import made_by_requests

SHARED = "authservice.session_token"
COMPANION = "authservice.session_host"
HEADERS = {"Origin": ORIGIN}


@pytest.fixture
def owner(app):
    browser = Browser(app)
    browser.sign_in()
    return browser


@pytest.fixture
def thief(app, owner):
    """Give a browser that holds the shared cookie of another user."""
    browser = Browser(app)
    browser.set_cookie(SHARED, owner.cookies[SHARED])
    return browser


def _codes(database):
    identifiers = [row.identifier for row in made_by_requests(database)]
    return [name for name in identifiers if not name.startswith("sign-in:")]


def test_the_shared_cookie_still_says_who_is_signed_in(thief):
    assert thief.session()["user"]["id"] == "local-developer"
    assert thief.get("/api/auth/token").status_int == 200


@pytest.mark.attack("BROWSER-cookie-theft")
def test_it_obtains_no_code(thief, relying_party, database):
    answer = relying_party.authorize(thief)

    assert "/sign-in?" in answer.location
    assert _codes(database) == []


def test_for_a_silent_request_nobody_is_signed_in(thief, relying_party, database):
    answer = relying_party.answer(relying_party.authorize(thief, prompt="none"))

    assert answer["error"] == "login_required"
    assert answer["state"] == "opaque state"
    assert _codes(database) == []


def test_it_approves_nothing(app, thief, relying_party, database):
    # The thief begins an interaction of its own and opens the consent page with it.
    sign_in = relying_party.authorize(thief).location
    interaction = sign_in.partition("interaction=")[2]

    page = thief.get(f"/consent?interaction={interaction}")
    assert page.status_int == 303
    assert page.location.startswith(f"{ORIGIN}{AUTHORIZE}")

    token = thief.get("/sign-in").forms[0]["csrf_token"].value
    form = {"interaction": interaction, "csrf_token": token, "decision": "allow"}
    thief.post("/consent", form, expect_errors=True)
    assert database.reader.execute(select(oauth_consent)).all() == []
    assert _codes(database) == []


def test_pages_do_not_know_the_person(thief):
    assert "You are signed in" not in thief.get("/").text
    assert "Local Developer" not in thief.get("/sign-in").text


@pytest.mark.attack("BROWSER-cookie-theft")
def test_it_manages_nothing(subtests, thief, owner):
    for method, path in (
        ("GET", "/api/auth/list-sessions"),
        ("POST", "/api/auth/revoke-session"),
        ("POST", "/api/auth/revoke-sessions"),
        ("POST", "/api/auth/revoke-other-sessions"),
        ("GET", "/api/auth/oauth2/public-client?client_id=x"),
        ("GET", "/api/auth/oauth2/get-consents"),
        ("POST", "/api/auth/oauth2/delete-consent"),
    ):
        with subtests.test(method=method, path=path):
            body = {"params": {"token": owner.session()["session"]["token"], "id": "x"}}

            answer = thief._gen_request(
                method,
                path,
                headers=HEADERS,
                **(body if method == "POST" else {}),
                content_type="application/json" if method == "POST" else None,
                expect_errors=True,
            )

            assert answer.status_int == 401
            assert set(answer.json) == {"message", "code"}
            assert owner.session() is not None


def test_it_can_sign_out(thief, owner):
    assert thief.post_json("/api/auth/sign-out", {}, headers=HEADERS).json == {"success": True}
    assert owner.session() is None


@pytest.mark.parametrize("value", ["x", "A" * 43, "other"])
def test_a_companion_of_something_else_is_none(app, owner, relying_party, value):
    if value == "other":
        other = Browser(app)
        other.sign_in()
        value = other.cookies[COMPANION]
    browser = Browser(app)
    browser.set_cookie(SHARED, owner.cookies[SHARED])
    browser.set_cookie(COMPANION, value)

    answer = relying_party.answer(relying_party.authorize(browser, prompt="none"))

    assert answer["error"] == "login_required"


def test_the_session_cookies_own_code_is_no_companion(app, owner, relying_party):
    browser = Browser(app)
    browser.set_cookie(SHARED, owner.cookies[SHARED])
    browser.set_cookie(COMPANION, owner.cookies[SHARED].rpartition(".")[2])

    answer = relying_party.answer(relying_party.authorize(browser, prompt="none"))

    assert answer["error"] == "login_required"


def test_with_both_cookies_the_person_is_known(owner, relying_party):
    answer = relying_party.answer(relying_party.authorize(owner, prompt="none"))

    assert answer["error"] == "consent_required"


def test_an_extension_asked_with_the_shared_cookie_sets_no_companion(thief, turnable_clock):
    turnable_clock.advance(days=2)

    cookies = thief.get("/api/auth/get-session").headers.getall("Set-Cookie")

    assert len(cookies) == 1
    assert cookies[0].startswith(SHARED)
