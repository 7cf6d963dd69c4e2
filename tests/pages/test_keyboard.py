"""By keyboard alone: every control in its turn, in a straight line, and one sees where one is."""

import pytest

from tests.helpers.chromium import expect
from tests.pages import situations
from tests.pages.visit import arrives, sees

pytestmark = pytest.mark.engines("sqlite")

_CONTROLS = """() => [...document.querySelectorAll("a[href], button, input:not([type=hidden])")]
    .map(each => each.outerHTML)"""
_FOCUSED = """() => {
    const focused = document.activeElement;
    if (focused === document.body) return null;
    const box = focused.getBoundingClientRect(), style = getComputedStyle(focused);
    const middle = document.elementFromPoint(
        box.left + box.width / 2, box.top + box.height / 2);
    return {
        html: focused.outerHTML,
        line: box.bottom + scrollY,
        ring: style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth),
        seen: focused.contains(middle),
    };
}"""


def _stops(tab):
    """Return what the Tab key reaches, from the beginning of the page to its end."""
    stops = []
    while True:
        tab.keyboard.press("Tab")
        stop = tab.evaluate(_FOCUSED)
        if stop is None or len(stops) > 100:
            return stops
        stops.append(stop)


def _press(visit, name):
    """Go to a button with Tab, and press it with Enter."""
    button = visit.tab.get_by_role("button", name=name)
    for _ in range(20):
        visit.tab.keyboard.press("Tab")
        if button.evaluate("each => each === document.activeElement"):
            visit.tab.keyboard.press("Enter")
            return
    pytest.fail(f"Tab does not lead to {name}")


def test_every_control_is_reached_in_its_turn_and_seen(visit, situation):
    situations.ALL[situation](visit)
    # The pointer is out of the way, and nothing has been focused by a click.
    visit.tab.evaluate("document.activeElement.blur()")
    stops = _stops(visit.tab)

    assert [stop["html"] for stop in stops] == visit.tab.evaluate(_CONTROLS)
    assert [stop["line"] for stop in stops] == sorted(stop["line"] for stop in stops)
    assert all(stop["ring"] >= 2 for stop in stops)
    assert all(stop["seen"] for stop in stops)


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
