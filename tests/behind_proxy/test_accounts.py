"""Accounts at the provider that cannot, or only just, be used: each has a page that helps."""

import pytest

from tests.behind_proxy.deployment import APP, AUTH
from tests.behind_proxy.person import finish_sign_in, sees
from tests.helpers.chromium import expect

SUSPENDED = {"id": 700001, "suspended_at": "2026-01-01T00:00:00Z"}
WITH_MONAS_ADDRESS = {
    "id": 700003,
    "emails": [{"email": "mona@example.com", "primary": True, "verified": True}],
}


def _sign_in(tab, account):
    tab.goto(f"{AUTH}/sign-in?callbackURL={APP}/")
    finish_sign_in(tab, account)


@pytest.mark.parametrize("login", ["newcomer", "nobody"])
def test_without_a_confirmed_address_one_is_signed_in_and_shows_none(production, tab, login):
    production.standin.account("nobody", id=700002, name="New Comer", emails=[])
    _sign_in(tab, login)

    sees(tab, "Signed in as New Comer")
    tab.goto(f"{AUTH}/account")
    sees(tab, "New Comer")
    assert "unverified.invalid" not in tab.content()
    tab.goto(f"{AUTH}/api/auth/get-session")
    assert '"emailVerified":false' in tab.content().replace(" ", "")


@pytest.mark.attack("FAILURES-51")
@pytest.mark.parametrize(
    ("account", "title", "code"),
    [
        (SUSPENDED, "Your GitHub account is suspended", "account_suspended"),
        (WITH_MONAS_ADDRESS, "This email address is in use already", "account_not_linked"),
    ],
)
def test_what_stands_in_the_way_is_said_and_another_account_helps(
    production, tab, account, title, code, keep_picture
):
    _sign_in(tab, "octocat")
    sees(tab, "Signed in as Mona Lisa")
    tab.context.clear_cookies()
    production.standin.account("somebody", **account)

    _sign_in(tab, "somebody")

    sees(tab, title)
    sees(tab, code)
    keep_picture(tab, code.replace("_", "-"))
    assert not any("session_" in cookie["name"] for cookie in tab.context.cookies())

    tab.get_by_role("link", name="Try again").click()
    finish_sign_in(tab, "octocat")
    expect(tab).to_have_url(f"{APP}/")
    sees(tab, "Signed in as Mona Lisa")


def test_a_failure_page_that_is_loaded_again_still_leads_on(production, tab):
    _sign_in(tab, "octocat")
    sees(tab, "Signed in as Mona Lisa")
    tab.context.clear_cookies()
    production.standin.account("somebody", **WITH_MONAS_ADDRESS)
    _sign_in(tab, "somebody")
    sees(tab, "This email address is in use already")

    tab.reload()
    sees(tab, "This sign-in has expired")
    tab.get_by_role("link", name="Sign in again").click()
    finish_sign_in(tab, "octocat")

    expect(tab).to_have_url(f"{APP}/")
