"""A client on a site of its own, under the content policy that Chromium enforces."""

import re

import pytest

from tests.behind_proxy.deployment import AUTH, CLIENT, PROVIDER
from tests.behind_proxy.person import finish_sign_in, sees
from tests.helpers.chromium import expect

SIGNED_IN = re.compile(f"^{re.escape(CLIENT)}/callback\\?code=")


@pytest.fixture
def tab(production, tab):
    """Forget all consents; fail the test when the content policy stopped anything."""
    production.forget_consents()
    complaints = []
    tab.on("console", lambda message: complaints.append(message.text))
    yield tab
    assert [text for text in complaints if "Content Security Policy" in text] == []


def _remembered_at_the_provider(tab):
    """Let the provider send this browser straight back, as when it has allowed us before."""
    tab.context.add_cookies([{"name": "remembered", "value": "octocat", "url": PROVIDER}])


def _begin(tab):
    tab.goto(CLIENT)
    tab.get_by_role("link", name="Sign in").click()


def test_sign_in_and_consent(tab, keep_picture):
    _begin(tab)
    sees(tab, "Wiki of the Observatory")
    keep_picture(tab, "client-sign-in")
    finish_sign_in(tab)

    sees(tab, "Allow Wiki of the Observatory")
    sees(tab, "client.other.test")
    keep_picture(tab, "client-consent")
    tab.get_by_role("button", name="Allow").click()

    expect(tab).to_have_url(SIGNED_IN)
    sees(tab, "Signed in as Mona Lisa")


def test_one_click_through_every_redirect_of_a_known_person(tab):
    _begin(tab)
    finish_sign_in(tab)
    tab.get_by_role("button", name="Allow").click()
    sees(tab, "Signed in as Mona Lisa")
    tab.context.clear_cookies()
    _remembered_at_the_provider(tab)

    _begin(tab)
    tab.locator("#sign-in-submit").click()

    expect(tab).to_have_url(SIGNED_IN)
    sees(tab, "Signed in as Mona Lisa")


def test_a_known_person_meets_the_consent_page_only(tab):
    _remembered_at_the_provider(tab)
    tab.goto(f"{AUTH}/sign-in")
    tab.locator("#sign-in-submit").click()
    sees(tab, "You are signed in")

    _begin(tab)

    sees(tab, "Allow Wiki of the Observatory")


def test_denying_goes_back_to_the_client(tab):
    _remembered_at_the_provider(tab)
    _begin(tab)
    tab.locator("#sign-in-submit").click()

    tab.get_by_role("button", name="Deny").click()

    sees(tab, "No sign-in: access_denied")


def test_choosing_the_account_on_the_consent_page(tab):
    _remembered_at_the_provider(tab)
    _begin(tab)
    tab.locator("#sign-in-submit").click()
    sees(tab, "Mona Lisa")
    tab.context.clear_cookies(domain=PROVIDER.removeprefix("https://"))

    tab.get_by_role("link", name="Use another account").click()
    finish_sign_in(tab, "hubot")
    sees(tab, "hubot@example.com")
    tab.get_by_role("button", name="Allow").click()

    sees(tab, "Signed in as hubot")


def test_continuing_as_who_one_is_when_the_client_wants_a_choice(tab):
    _remembered_at_the_provider(tab)
    tab.goto(f"{AUTH}/sign-in")
    tab.locator("#sign-in-submit").click()
    sees(tab, "You are signed in")

    tab.goto(f"{CLIENT}/sign-in?prompt=select_account")
    sees(tab, "asks you to choose an account")
    tab.get_by_role("button", name="Continue as Mona Lisa").click()
    tab.get_by_role("button", name="Allow").click()

    sees(tab, "Signed in as Mona Lisa")


@pytest.mark.requirement("OIDC-FORMPOST-2-4")
def test_the_answer_can_come_as_a_form(tab):
    _remembered_at_the_provider(tab)
    tab.goto(f"{CLIENT}/sign-in?response_mode=form_post")
    tab.locator("#sign-in-submit").click()
    tab.get_by_role("button", name="Allow").click()

    sees(tab, "Signed in as Mona Lisa")


@pytest.mark.attack("FAILURES-35")
@pytest.mark.parametrize("prompt", ["login", "consent"])
def test_asking_again_does_not_ask_forever(tab, prompt):
    _remembered_at_the_provider(tab)
    tab.goto(f"{AUTH}/sign-in")
    tab.locator("#sign-in-submit").click()
    sees(tab, "You are signed in")

    tab.goto(f"{CLIENT}/sign-in?prompt={prompt}")
    if prompt == "login":
        tab.locator("#sign-in-submit").click()
    tab.get_by_role("button", name="Allow").click()

    sees(tab, "Signed in as Mona Lisa")
