"""The page for who comes back while too many sign in: it loads itself again, without a script."""

from contextlib import ExitStack

import pytest

from authservice.local_mode.sign_in.unlimited_places import UnlimitedPlaces
from authservice.web.request.sign_in_places import SignInPlaces
from tests.pages.accessibility import barriers
from tests.pages.layout import fits
from tests.pages.visit import sees

pytestmark = pytest.mark.engines("sqlite")

SCREENS = {
    "desktop": {},
    "phone": {"viewport": {"width": 360, "height": 640}},
}


@pytest.fixture
def full(service, monkeypatch):
    """Take every place of those who wait for the identity provider; give what leaves them."""
    # Local mode has a place for everyone. The page is the same everywhere.
    monkeypatch.setattr(UnlimitedPlaces, "place", SignInPlaces.place)
    places = service.application.registry.components.sign_in_places
    places._patience = 0.0
    with ExitStack() as held:
        for _ in range(4):
            held.enter_context(places.place("203.0.113.8"))
        yield held


@pytest.mark.parametrize("screen", SCREENS)
def test_it_signs_the_person_in_by_itself_as_soon_as_there_is_a_place(
    new_visit, full, screen, keep_picture
):
    visit = new_visit(java_script_enabled=False, color_scheme="dark", **SCREENS[screen])
    visit.sign_in()
    sees(visit.tab, "Please wait a moment")
    keep_picture(visit.tab, f"too-many-sign-ins-{screen}-dark")
    fits(visit.tab)

    full.close()

    sees(visit.tab, "You are signed in")


def test_it_has_no_other_barrier_than_that(new_visit, full):
    visit = new_visit()
    visit.sign_in()
    sees(visit.tab, "Please wait a moment")

    assert barriers(visit.tab) == []
