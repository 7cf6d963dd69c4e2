"""A sign-in in a popup: the application that opened it keeps hold of it, in Chromium."""

import pytest

from tests.behind_proxy.deployment import CLIENT
from tests.behind_proxy.person import finish_sign_in, sees

_OPEN = """address => { window.popup = window.open(address, "sign-in", "width=500,height=600"); }"""


@pytest.fixture
def opener(production, tab):
    production.forget_consents()
    tab.goto(CLIENT)
    return tab


def _popup(opener, path):
    with opener.expect_popup() as popup:
        opener.evaluate(_OPEN, f"{CLIENT}{path}")
    return popup.value


@pytest.mark.parametrize("response_mode", ["query", "form_post"])
def test_the_opener_holds_the_popup_on_every_page_and_gets_its_answer(opener, response_mode):
    popup = _popup(opener, f"/sign-in?response_mode={response_mode}")
    sees(popup, "to continue to Wiki of the Observatory")
    held = [not opener.evaluate("popup.closed")]
    finish_sign_in(popup)
    sees(popup, "Allow Wiki of the Observatory")
    held.append(not opener.evaluate("popup.closed"))
    popup.get_by_role("button", name="Allow").click()
    sees(popup, "Signed in as Mona Lisa")

    assert [*held, not opener.evaluate("popup.closed")] == [True, True, True]
    assert popup.evaluate("opener.location.href") == f"{CLIENT}/"
    with popup.expect_event("close"):
        opener.evaluate("popup.close()")
