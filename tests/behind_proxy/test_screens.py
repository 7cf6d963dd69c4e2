"""The pages on a phone and in the dark: nothing sticks out, everything can be read and touched.

What `tests/pages` proves of every page in local mode holds in production too.
"""

import pytest

from tests.behind_proxy.deployment import APP, AUTH, CLIENT, PROVIDER
from tests.behind_proxy.person import sees
from tests.pages.accessibility import has_no_barrier
from tests.pages.layout import DESKTOP, NARROW, PHONE, fits, fits_fingers

LONG = "Donaudampfschifffahrtselektrizitaetenhauptbetriebswerkbauunterbeamtengesellschaft"


@pytest.fixture
def tab(production, new_browser):
    production.forget_consents()
    production.standin.account(
        "octocat",
        name=f"Mona {LONG}",
        emails=[{"email": f"{LONG}@example.com".lower(), "primary": True, "verified": True}],
    )
    context = new_browser(**PHONE)
    context.add_cookies([{"name": "remembered", "value": "octocat", "url": PROVIDER}])
    return context.new_page()


@pytest.fixture
def examine(tab, keep_picture):
    """Check that the page fits each screen, no control is too small and nothing is a barrier."""

    def check(name):
        fits_fingers(tab)
        has_no_barrier(tab, keep_picture, f"{name}-phone")
        for size in (DESKTOP, NARROW, PHONE["viewport"]):
            tab.set_viewport_size(size)
            fits(tab)

    return check


def test_every_page_on_the_way_fits(tab, examine):
    tab.goto(f"{AUTH}/sign-in?callbackURL={APP}/")
    examine("sign-in")

    tab.goto(f"{CLIENT}/sign-in")
    tab.locator("#sign-in-submit").click()
    sees(tab, "Allow Wiki of the Observatory")
    examine("consent")

    tab.goto(f"{AUTH}/")
    examine("landing")
    tab.goto(f"{AUTH}/sign-in?callbackURL={APP}/")
    examine("continue")
    tab.goto(f"{AUTH}/api/auth/oauth2/authorize?client_id=x")
    examine("error")


def test_errors_of_the_provider_fit(production, tab, examine):
    production.standin.fault("/api/user", "502")
    tab.goto(f"{AUTH}/sign-in?callbackURL={APP}/")
    tab.locator("#sign-in-submit").click()
    sees(tab, "GitHub does not answer")
    examine("provider-unavailable")


@pytest.mark.parametrize("why", ["unconfirmed", "hidden"])
def test_what_is_said_of_a_missing_address_fits(production, tab, examine, why):
    if why == "hidden":
        production.standin.fault("/api/user/emails", "forbidden")
        said = "GitHub does not show us your email addresses"
    else:
        production.standin.account("octocat", emails=[])
        said = "No email address of your GitHub account is confirmed"
    tab.goto(f"{CLIENT}/sign-in")
    tab.locator("#sign-in-submit").click()
    sees(tab, said)
    examine(f"consent-{why}-address")

    tab.goto(f"{AUTH}/account")
    sees(tab, said)
    examine(f"account-{why}-address")


def test_an_account_that_cannot_be_used_fits(production, tab, examine):
    production.standin.account("octocat", suspended_at="2026-01-01T00:00:00Z")
    tab.goto(f"{AUTH}/sign-in?callbackURL={APP}/")
    tab.locator("#sign-in-submit").click()
    sees(tab, "Try again with another account")
    examine("account-suspended")


def test_without_scripts_everything_works(production, new_browser, keep_picture):
    production.forget_consents()
    tab = new_browser(java_script_enabled=False).new_page()
    tab.context.add_cookies([{"name": "remembered", "value": "octocat", "url": PROVIDER}])

    tab.goto(f"{CLIENT}/sign-in?response_mode=form_post")
    tab.locator("#sign-in-submit").click()
    tab.locator("#consent-allow").click()
    keep_picture(tab, "form-post-without-scripts")
    tab.locator("#form-post-submit").click()

    sees(tab, "Signed in as Mona Lisa")
