"""The page for somebody whom the rules do not admit: on a desktop and a phone, by day and night."""

import pytest

from tests.helpers.control import Control
from tests.pages.accessibility import has_no_barrier
from tests.pages.layout import PHONE, fits
from tests.pages.visit import arrives, sees

pytestmark = pytest.mark.engines("sqlite")


@pytest.fixture
def service(server, make_app):
    """A service that only people of one organization may enter."""
    server.application = make_app(auth__url=server.url, admission__organizations="acme")
    Control(server.application).put("persons/bob", {"username": "bob-the-builder"})
    return server


def refused(visit, **changes):
    visit.authorize(login_hint="bob", **changes)
    visit.press("sign-in-submit")


@pytest.mark.parametrize("screen", ["desktop", "phone"])
@pytest.mark.parametrize("language", ["en", "de", "ar"])
def test_it_is_shown_without_a_barrier(new_visit, screen, language, keep_picture):
    options = PHONE if screen == "phone" else {}
    visit = new_visit(locale=language, **options)
    refused(visit)

    sees(visit.tab, "bob-the-builder")
    fits(visit.tab)
    has_no_barrier(visit.tab, keep_picture, f"refused-{language}-{screen}")


@pytest.mark.parametrize("changes", [{}, {"response_mode": "form_post"}])
def test_the_answer_is_taken_to_the_application(visit, application, changes):
    refused(visit, **changes)
    visit.tab.locator("#back").click()

    arrives(visit)
    assert application.arrivals[-1]["error"] == "access_denied"
