"""Groups on the consent page: a few, none, and two hundred with long names."""

import pytest

from tests.helpers.control import Control
from tests.helpers.relying_party import RelyingParty
from tests.pages.accessibility import barriers, has_no_barrier
from tests.pages.layout import DESKTOP, PHONE, fits
from tests.pages.visit import Visit, sees

pytestmark = pytest.mark.engines("sqlite")

SCOPE = "openid profile email groups"
LONG = f"an-organization-with-a-name-of-thirty-nine/{'team-of-those-who-write-' * 4}"
MANY = [f"{LONG}{number:03}" for number in range(220)]
FEW = ["acme", "acme/platform", "\u202eevil\u2066", "<script>alert(1)</script>"]


@pytest.fixture
def consent(new_context, service, application, database):
    """Show the consent page to someone in some groups, and return the visit."""
    uri = f"{application.origin}/callback"

    def show(groups, **options):
        client = RelyingParty.registered(
            None, database, name="Reading List", redirect_uris=[uri], groups=True
        )
        Control(service.application).put(
            "persons/anna", {"name": "Anna Ångström", "username": "anna", "groups": groups}
        )
        visit = Visit(new_context(**options).new_page(), service.url, client.client_id, uri)
        visit.authorize(scope=SCOPE, login_hint="anna")
        visit.press("sign-in-submit")
        return visit

    return show


@pytest.mark.parametrize("screen", ["desktop", "phone"])
@pytest.mark.parametrize("number", [0, 3, 220])
def test_they_are_shown_without_a_barrier(consent, screen, number, keep_picture):
    visit = consent(MANY[:number], **(PHONE if screen == "phone" else {"viewport": DESKTOP}))

    fits(visit.tab)
    has_no_barrier(visit.tab, keep_picture, f"consent-groups-{number}-{screen}")
    assert visit.tab.locator(".values li").all_inner_texts() == MANY[: min(number, 200)]
    if number == 0:
        sees(visit.tab, "No group is shared now.")


def test_two_hundred_push_the_choice_no_further_than_ten(consent):
    heights = []
    for number in (10, 200):
        visit = consent(MANY[:number], **PHONE)
        heights.append(visit.tab.locator("#consent-allow").bounding_box()["y"])

    assert heights[0] == heights[1]


def test_by_keyboard_the_last_of_them_is_reached(consent):
    tab = consent(MANY[:200], viewport=DESKTOP).tab
    tab.locator(".values").focus()
    tab.keyboard.press("End")

    tab.wait_for_function(
        "() => {const box = document.querySelector('.values');"
        " return box.scrollTop + box.clientHeight >= box.scrollHeight - 1}"
    )


def test_names_of_any_kind_stay_within_their_place(consent):
    visit = consent(FEW[:2] + FEW[3:], **PHONE)

    assert visit.tab.locator(".values li").all_inner_texts() == sorted(FEW[:2] + FEW[3:])
    fits(visit.tab)


def test_one_choice_is_about_all_of_them(consent, keep_picture):
    visit = consent(MANY[:3], viewport=DESKTOP)
    visit.tab.get_by_role("link", name="Choose what you share").click()
    box = visit.tab.get_by_role("checkbox", name="See your groups")
    box.uncheck()

    assert barriers(visit.tab) == []
    keep_picture(visit.tab, "consent-groups-choose")


@pytest.mark.parametrize("language", ["de", "fr", "es", "pl", "ja", "ar"])
def test_in_every_language_they_fit_on_a_phone(consent, language, keep_picture):
    visit = consent([*MANY[:2], "acme"], locale=language, **PHONE)

    fits(visit.tab)
    assert "See your groups" not in visit.tab.locator("main").inner_text()
    keep_picture(visit.tab, f"consent-groups-{language}-phone")
