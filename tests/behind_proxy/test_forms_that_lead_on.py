"""What comes after a form of ours was sent, on hosts that only the others know, in Chromium."""

import json

import pytest

from tests.behind_proxy.deployment import APP, AUTH, CLIENT, COMPANY, PROVIDER, WWW
from tests.behind_proxy.person import sees
from tests.helpers.chromium import expect
from tests.helpers.end_session import END_SESSION

HOME = f"{WWW}/home"
PROGRAM = "claude://signed-in"


@pytest.fixture
def tab(production, tab):
    """A browser that the provider and its company send straight back."""
    production.forget_consents()
    complaints = []
    tab.on("console", lambda message: complaints.append(message.text))
    _has_cookie(tab, PROVIDER, "remembered", "octocat")
    yield tab
    assert [text for text in complaints if "Content Security Policy" in text] == []


@pytest.fixture
def leaving_client(production):
    """The id of a client that may sign people out."""
    registered = production.register(
        "Leaving",
        f"{CLIENT}/elsewhere",
        "--enable-end-session",
        "--post-logout-redirect-uri",
        f"{CLIENT}/bye",
    )
    return json.loads(registered)["client_id"]


def _has_cookie(tab, url, name, value):
    host, _, path = url.removeprefix("https://").partition("/")
    cookie = {"name": name, "value": value, "domain": host, "path": f"/{path}"}
    # Forms of other sites bring it too.
    tab.context.add_cookies([cookie | {"sameSite": "None", "secure": True}])


def _sign_in(tab):
    tab.goto(f"{AUTH}/sign-in")
    tab.locator("#sign-in-submit").click()
    sees(tab, "You are signed in")


@pytest.mark.parametrize("decision", ["Allow", "Deny"])
@pytest.mark.parametrize("response_mode", ["query", "form_post"])
def test_a_client_may_lead_on_from_its_callback(tab, decision, response_mode):
    _has_cookie(tab, f"{CLIENT}/callback", "leads_on_to", HOME)
    _sign_in(tab)

    tab.goto(f"{CLIENT}/sign-in?response_mode={response_mode}")
    tab.get_by_role("button", name=decision).click()

    expect(tab).to_have_url(HOME)


def test_a_client_may_lead_on_into_a_program(tab):
    _has_cookie(tab, f"{CLIENT}/callback", "leads_on_to", PROGRAM)
    _sign_in(tab)

    tab.goto(f"{CLIENT}/sign-in")
    # There is none on this machine.
    with tab.expect_event("requestfailed", lambda request: request.url == PROGRAM):
        tab.get_by_role("button", name="Allow").click()


def test_a_sign_in_may_lead_through_the_company_and_on_from_the_application(tab):
    _has_cookie(tab, PROVIDER, "employee", "yes")
    _has_cookie(tab, APP, "leads_on_to", HOME)
    tab.goto(f"{AUTH}/sign-in?callbackURL={APP}/")
    with tab.expect_request(f"{COMPANY}/**"):
        tab.locator("#sign-in-submit").click()

    expect(tab).to_have_url(HOME)


def test_a_client_may_lead_on_from_where_people_come_after_sign_out(tab, leaving_client):
    _sign_in(tab)
    _has_cookie(tab, f"{CLIENT}/bye", "leads_on_to", HOME)

    query = f"client_id={leaving_client}&post_logout_redirect_uri={CLIENT}/bye"
    tab.goto(f"{AUTH}{END_SESSION}?{query}")
    tab.locator("#logout-confirm").click()

    expect(tab).to_have_url(HOME)
