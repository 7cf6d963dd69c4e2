"""What a person does in a browser tab."""

import re

from tests.behind_proxy.deployment import PROVIDER
from tests.helpers.chromium import expect

MONA = "Signed in as Mona Lisa"
NOBODY = "Nobody is signed in"


def sign_in_at(tab, application, account="octocat"):
    """Go from an application over the sign-in page and the provider and back."""
    tab.goto(application)
    tab.get_by_role("link", name="Sign in").click()
    finish_sign_in(tab, account)


def finish_sign_in(tab, account="octocat"):
    """Go on from the sign-in page."""
    tab.locator("#sign-in-submit").click()
    tab.wait_for_url(re.compile(f"^{re.escape(PROVIDER)}/"))
    tab.get_by_label(account).check()
    tab.get_by_role("button", name="Authorize").click()


def sees(tab, text):
    expect(tab.get_by_text(text).first).to_be_visible()
