"""A page of a foreign origin, in Chromium: it reads nothing, and it changes nothing."""

from itertools import product

import pytest

from tests.first_party.web_site import FOREIGN_HOST
from tests.helpers.chromium import expect, playwright_api

FOREIGN = [FOREIGN_HOST, "127.0.0.2"]
READS = ["get-session", "list-sessions", "token", "oauth2/get-consents", "ok"]
CHANGES = ["sign-out", "revoke-sessions", "revoke-other-sessions", "sign-in/social"]
SENT_FORM = """address => {
    const form = Object.assign(document.createElement("form"), { method: "post", action: address });
    document.body.append(form);
    form.submit();
}"""


@pytest.fixture
def home(make_site):
    """The application in which the person is signed in."""
    site = make_site("localhost")
    site.open()
    site.begin_sign_in()
    site.tab.locator("#sign-in-submit").click()
    site.tab.wait_for_url(site.address)
    return site


@pytest.fixture(params=FOREIGN)
def foreign(request, home, make_site):
    """The foreign page, in the very tab in which the person has just signed in."""
    site = make_site(request.param)
    site.open()
    return site


@pytest.fixture
def session_lives_on(home):
    """Check after the test that the person is still signed in."""
    yield
    home.open()
    assert home.call("getSession")["data"]["user"]["id"] == "local-developer"


def test_the_client_gets_nothing(foreign):
    for method in ("getSession", "listSessions", "token"):
        with pytest.raises(playwright_api().Error, match="Failed to fetch"):
            foreign.call(method)


def test_no_answer_is_readable_not_even_an_anonymous_one(foreign):
    for path, credentials in product(READS, ("include", "omit")):
        address = f"{foreign.service.url}/api/auth/{path}"
        assert foreign.fetch(address, credentials=credentials) == "TypeError"


def test_the_keys_are_readable_without_credentials_only(foreign):
    address = f"{foreign.service.url}/api/auth/jwks"

    assert foreign.fetch(address, credentials="omit") == 200
    assert foreign.fetch(address, credentials="include") == "TypeError"


def test_not_even_that_an_endpoint_is_missing_is_readable(foreign):
    with pytest.raises(playwright_api().Error, match="Failed to fetch"):
        foreign.call("updateUser", {"name": "Ada"})


@pytest.mark.usefixtures("session_lives_on")
def test_the_client_changes_nothing(foreign):
    for method in ("signOut", "revokeSessions", "revokeOtherSessions"):
        with pytest.raises(playwright_api().Error, match="Failed to fetch"):
            foreign.call(method)


@pytest.mark.attack("BROWSER-csrf-api")
@pytest.mark.usefixtures("session_lives_on")
def test_requests_that_need_no_preflight_change_nothing(foreign):
    for path in CHANGES:
        for mode, body in product(("cors", "no-cors"), (None, '{"provider":"github"}')):
            address = f"{foreign.service.url}/api/auth/{path}"
            options = {"method": "POST", "mode": mode, "credentials": "include", "body": body}
            foreign.fetch(address, **options)


@pytest.mark.attack("BROWSER-csrf-forms")
@pytest.mark.usefixtures("session_lives_on")
@pytest.mark.parametrize("path", ["api/auth/sign-out", "api/auth/revoke-sessions", "sign-out"])
def test_a_form_that_sends_itself_changes_nothing(foreign, path):
    address = f"{foreign.service.url}/{path}"
    with foreign.tab.expect_navigation(url=address) as navigation:
        foreign.tab.evaluate(SENT_FORM, address)

    assert navigation.value.status == 403


def test_a_sign_in_does_not_lead_there(foreign):
    parameters = f"callbackURL=http://{FOREIGN_HOST}/"

    answer = foreign.tab.goto(f"{foreign.service.url}/sign-in?{parameters}")

    assert answer.status == 403
    expect(foreign.tab.locator("#sign-in-submit")).to_have_count(0)


@pytest.mark.attack("BROWSER-dns-rebinding")
def test_a_foreign_name_for_this_machine_reaches_nothing(foreign):
    answer = foreign.tab.goto(f"http://{FOREIGN_HOST}:{foreign.service.port}/")

    assert answer.status == 403
    assert answer.json()["code"] == "HOST_NOT_ALLOWED"
