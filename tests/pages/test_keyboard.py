"""By keyboard alone one signs in, allows, and manages the account."""

import pytest

from tests.helpers.chromium import expect
from tests.pages import situations
from tests.pages.visit import arrives, sees

pytestmark = pytest.mark.engines("sqlite")


def _press(visit, name):
    """Go to a button with Tab, and press it with Enter."""
    button = visit.tab.get_by_role("button", name=name)
    for _ in range(20):
        visit.tab.keyboard.press("Tab")
        if button.evaluate("each => each === document.activeElement"):
            visit.tab.keyboard.press("Enter")
            return
    pytest.fail(f"Tab does not lead to {name}")


def test_signing_in_and_allowing(visit):
    visit.authorize()
    _press(visit, "Continue as local developer")
    sees(visit.tab, "Allow Reading List to use your account?")
    _press(visit, "Allow")

    arrives(visit)


def test_managing_the_account(visit):
    situations.account(visit)
    _press(visit, "Sign out Firefox on Windows")
    sees(visit.tab, "That device is signed out.")
    _press(visit, "Disconnect Reading List")
    sees(visit.tab, "The application is disconnected.")
    _press(visit, "Sign out everywhere")

    expect(visit.tab.get_by_role("heading", name="Signed out")).to_be_visible()
