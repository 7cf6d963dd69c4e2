"""The pages in Debian's Firefox, with scripts in light colours and without in dark ones.

What depends on the browser: forms, the way back, two clicks, keys, the layout.
"""

import json

import pytest

from tests.firefox.firefox import firefox
from tests.helpers.waiting import until
from tests.pages import situations
from tests.pages.layout import fits
from tests.pages.visit import Visit

pytestmark = pytest.mark.engines("sqlite")

_MODES = {
    "scripts": (True, "light", "en"),
    "no-scripts": (False, "dark", "en"),
    "german": (True, "light", "de"),
    "arabic": (False, "dark", "ar"),
}
_SHOWN = {
    "sign-in": situations.sign_in_for_client,
    "consent": situations.consent,
    "account": situations.account,
}


class FirefoxVisit(Visit):
    """A visit whose tabs are Firefox's."""

    def __init__(self, new_tab, *between):
        super().__init__(new_tab(), *between)
        self._another = lambda: FirefoxVisit(new_tab, *between)

    def press(self, *ids):
        for each in ids:
            self.tab.follow(f"#{each}")

    def has_signed_in(self):
        self.sign_in()

    def has_connected(self):
        self.connect()

    def has_signed_in_elsewhere(self):
        """Sign in with another browser of the same person's, which is kept."""
        self.elsewhere = self._another()
        self.elsewhere.sign_in()

    def session(self):
        """Return what applications are told of the browser."""
        self.go("/api/auth/get-session")
        return json.loads(self.tab.evaluate("document.body.innerText"))


@pytest.fixture(scope="module", params=["scripts", "no-scripts"])
def mode(request):
    return request.param


@pytest.fixture(scope="module")
def open_tab(mode, tmp_path_factory):
    scripts, scheme, language = _MODES[mode]
    folder = tmp_path_factory.mktemp("firefox")
    with firefox(folder, scripts=scripts, scheme=scheme, language=language) as open_:
        yield open_


@pytest.fixture
def new_tab(open_tab, service, application):
    """Open a tab without cookies; in the end nothing may have been amiss in it."""
    opened = []

    def open_():
        opened.append(open_tab())
        return opened[-1]

    yield open_
    for tab in opened:
        tab.close()
    ours = (f"{service.url}/", f"{application.origin}/", "data:")
    assert [each for tab in opened for each in tab.complaints] == []
    assert [each for tab in opened for each in tab.requests if not each.startswith(ours)] == []


@pytest.fixture
def visit(new_tab, service, application, register):
    """A user visits the service, sent by an application."""
    return FirefoxVisit(new_tab, service.url, register(), f"{application.origin}/callback")


def _arrives(visit):
    visit.tab.sees("Back at the application")


def _reach(tab, element):
    """Go on with Tab until the element has the focus."""
    for _ in range(20):
        tab.press("Tab")
        if tab.evaluate("document.activeElement.id") == element:
            return
    pytest.fail(f"Tab does not lead to {element}")


def test_some_of_it_can_be_kept_back(visit):
    situations.consent(visit)
    visit.tab.follow("main p.small a")
    visit.tab.sees("You may untick what you do not want to share.")
    visit.tab.click("#scope-email")
    visit.press("consent-allow")

    _arrives(visit)
    visit.go("/account")
    visit.tab.sees("See your profile")
    assert "See your email address" not in visit.tab.evaluate("document.body.innerText")


def test_the_form_for_the_application_is_sent(visit, application, mode):
    visit.authorize(response_mode="form_post")
    visit.press("sign-in-submit", "consent-allow")
    if mode == "no-scripts":
        visit.press("form-post-submit")

    _arrives(visit)
    assert set(application.arrivals[-1]) == {"code", "iss", "state"}


def test_a_popup_stays_in_the_hands_of_the_application(visit, application):
    visit.connect()
    _arrives(visit)
    visit.tab.evaluate(
        f"void (window.popup = window.open({json.dumps(visit.authorization_url())}))"
    )
    until(lambda: len(application.arrivals) == 2)

    assert visit.tab.evaluate("popup.closed") is False
    visit.tab.evaluate("popup.close()")


def test_another_device_and_an_application_are_let_go(visit):
    situations.account(visit)
    visit.press("end-2")
    visit.tab.sees("That device is signed out.")
    visit.press("disconnect-1")
    visit.tab.sees("The application is disconnected. It has to ask you again.")

    assert visit.elsewhere.session() is None
    assert visit.session() is not None
    visit.authorize()
    visit.tab.sees("Allow Reading List to use your account?")


def test_back_to_the_sign_in_page_one_signs_in_again(visit):
    situations.consent(visit)
    visit.tab.go_back()
    visit.press("sign-in-submit")

    visit.tab.sees("Allow Reading List to use your account?")


def test_back_from_the_application_a_choice_can_be_made_again(visit, application):
    visit.connect()
    _arrives(visit)
    visit.tab.go_back()
    visit.press("consent-deny")

    _arrives(visit)
    assert ["code" in each for each in application.arrivals] == [True, False]


def test_back_from_signed_out_nothing_is_shown_of_the_account(visit):
    situations.account_without_applications(visit)
    visit.press("sign-out-everywhere")
    visit.tab.sees("Signed out")
    visit.tab.go_back()

    visit.tab.sees("Continue as local developer")
    assert "local-developer" not in visit.tab.evaluate("document.body.innerText")


@pytest.mark.parametrize("decision", ["consent-allow", "consent-deny"])
def test_a_double_click_decides_once(visit, decision):
    visit.authorize()
    visit.tab.click("#sign-in-submit", times=2)
    visit.tab.sees("Allow Reading List to use your account?")
    visit.tab.click(f"#{decision}", times=2)

    _arrives(visit)


def test_signing_in_and_allowing_by_keyboard_alone(visit):
    visit.authorize()
    _reach(visit.tab, "sign-in-submit")
    visit.tab.press("Enter")
    visit.tab.sees("Allow Reading List to use your account?")
    _reach(visit.tab, "consent-allow")
    visit.tab.press("Enter")

    _arrives(visit)


@pytest.mark.parametrize("mode", ["german", "arabic"], indirect=True, scope="module")
@pytest.mark.parametrize("page", _SHOWN)
def test_a_page_fits_on_a_desktop_and_a_phone(visit, page, mode, keep_picture):
    _, scheme, language = _MODES[mode]
    visit.tab.set_viewport_size({"width": 800, "height": 500})
    _SHOWN[page](visit)

    assert visit.tab.evaluate(f"matchMedia('(prefers-color-scheme: {scheme})').matches")
    for width, height in ((800, 500), (360, 740), (320, 256)):
        visit.tab.set_viewport_size({"width": width, "height": height})
        size = "[document.documentElement.lang, innerWidth]"
        assert visit.tab.evaluate(size) == [language, width]
        fits(visit.tab)
        keep_picture(visit.tab, f"{page}-firefox-{scheme}-{width}")
