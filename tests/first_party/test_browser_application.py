"""The npm client in a page of another trusted origin, in Chromium."""

from datetime import datetime, timedelta

import pytest

from tests.helpers.chromium import expect

SIGNED_IN = "Signed in as Local Developer"
SIGNED_OUT = "Nobody is signed in"


@pytest.fixture
def site(make_site):
    opened = make_site("localhost")
    opened.open()
    return opened


@pytest.fixture
def signed_in(site):
    site.begin_sign_in()
    site.tab.locator("#sign-in-submit").click()
    expect(site.tab.get_by_text(SIGNED_IN)).to_be_visible()
    return site


def _own(site):
    return site.call("getSession")["data"]["session"]


def test_before_the_sign_in_there_is_no_session(site):
    expect(site.tab.get_by_text(SIGNED_OUT)).to_be_visible()

    assert site.call("getSession") == {"data": None, "error": None}


def test_the_sign_in_goes_over_the_one_click_page_and_back(service, site, keep_picture):
    site.begin_sign_in()
    site.tab.wait_for_url(f"{service.url}/sign-in?**")
    keep_picture(site.tab, "application-sign-in")

    site.tab.locator("#sign-in-submit").click()

    expect(site.tab.get_by_text(SIGNED_IN)).to_be_visible()
    assert site.tab.url == site.address
    keep_picture(site.tab, "application-signed-in")


def test_a_refused_sign_in_says_why(site):
    options = {"provider": "github", "callbackURL": "https://evil.example/"}

    error = site.call("signIn.social", options)["error"]

    assert (error["status"], error["code"]) == (403, "INVALID_CALLBACK_URL")
    assert site.tab.url == site.address


def test_whoever_is_signed_in_is_back_with_one_click_in_another_application(signed_in, make_site):
    other = make_site("127.0.0.1")
    other.open()

    other.begin_sign_in()
    other.tab.locator("#sign-in-submit").click()
    other.tab.wait_for_url(other.address)


def test_the_page_reads_the_session_with_its_dates(signed_in):
    found = signed_in.call("getSession")["data"]

    assert found["user"]["name"] == "Local Developer"
    assert isinstance(found["user"]["createdAt"], datetime)
    life = found["session"]["expiresAt"] - found["session"]["createdAt"]
    assert life == timedelta(days=7)


@pytest.mark.attack("OWASP-SESSION-4")
def test_scripts_cannot_read_the_cookies(signed_in, service):
    signed_in.tab.goto(f"{service.url}/")

    assert signed_in.tab.evaluate("document.cookie") == ""


def test_the_page_lists_and_revokes_sessions(signed_in, client):
    client.sign_in()
    own, other = _own(signed_in), client.call("getSession")["session"]

    listed = signed_in.call("listSessions")["data"]
    assert {own["id"], other["id"]} <= {session["id"] for session in listed}

    revoked = signed_in.call("revokeSession", {"token": other["token"]})
    assert revoked == {"data": {"status": True}, "error": None}
    assert client.call("getSession") is None

    client.sign_in()
    assert signed_in.call("revokeOtherSessions")["data"] == {"status": True}
    assert client.call("getSession") is None
    assert [session["id"] for session in signed_in.call("listSessions")["data"]] == [own["id"]]


@pytest.mark.parametrize("method", ["signOut", "revokeSessions"])
def test_the_page_follows_when_the_session_ends(signed_in, method):
    assert signed_in.call(method)["error"] is None

    expect(signed_in.tab.get_by_text(SIGNED_OUT)).to_be_visible()
    assert signed_in.call("getSession") == {"data": None, "error": None}
    assert signed_in.call("listSessions")["error"] == {
        "status": 401,
        "statusText": "Unauthorized",
        "message": "Unauthorized",
        "code": "UNAUTHORIZED",
    }


def test_every_tab_of_the_application_follows_a_sign_out(signed_in):
    second = signed_in.tab.context.new_page()
    second.goto(signed_in.address)
    expect(second.get_by_text(SIGNED_IN)).to_be_visible()

    signed_in.call("signOut")

    expect(second.get_by_text(SIGNED_OUT)).to_be_visible()


@pytest.mark.parametrize(
    ("method", "argument"),
    [("updateUser", {"name": "Ada"}), ("listAccounts", None), ("deleteUser", {"token": "x"})],
)
def test_the_page_learns_that_the_service_lacks_what_the_client_has(signed_in, method, argument):
    answer = signed_in.call(method, argument)

    assert answer["data"] is None
    assert (answer["error"]["status"], answer["error"]["code"]) == (404, "NOT_FOUND")


def test_the_page_reads_the_keys_with_the_credentials_that_the_client_sends(signed_in, service):
    keys = signed_in.call("jwks")["data"]["keys"]

    assert {key["alg"] for key in keys} == {"RS256"}
    for path in ("api/auth/.well-known/openid-configuration", "api/auth/jwks"):
        address = f"{service.url}/{path}"
        for credentials in ("omit", "include"):
            assert signed_in.fetch(address, credentials=credentials) == 200
