"""The sign-in page of local mode with persons: by day and at night, on a desktop and a phone."""

import pytest

from tests.helpers.chromium import expect
from tests.helpers.control import Control
from tests.pages.accessibility import has_no_barrier
from tests.pages.layout import PHONE, fits
from tests.pages.visit import sees

pytestmark = pytest.mark.engines("sqlite")

NAMES = ("Anna Ångström", "Bob", "Šárka Dvořáková-Wolfeschlegelsteinhausenbergerdorff", "陳大文")


@pytest.fixture
def control(service):
    return Control(service.application)


def _fill(control, number):
    for each in range(number):
        control.put(f"persons/p{each}", {"name": NAMES[each % len(NAMES)]})


@pytest.mark.parametrize("screen", ["desktop", "phone"])
@pytest.mark.parametrize("number", [3, 12])
def test_the_persons_are_shown_without_a_barrier(new_visit, control, screen, number, keep_picture):
    _fill(control, number)
    visit = new_visit(**(PHONE if screen == "phone" else {}))
    visit.authorize()

    fits(visit.tab)
    has_no_barrier(visit.tab, keep_picture, f"persons-{number}-{screen}")


def test_a_person_is_found_and_signed_in(visit, control):
    _fill(control, 12)
    visit.go("/sign-in", callbackURL="/account")
    visit.tab.get_by_role("searchbox").fill("bob")
    visit.tab.get_by_role("button", name="Search").click()
    expect(visit.tab.locator("button[name=person]")).to_have_count(3)

    visit.tab.locator("button[value=p5]").click()

    visit.tab.wait_for_url("**/account")
    sees(visit.tab, "Bob")


def test_in_german_and_from_the_right_it_fits_on_a_phone(new_visit, control, keep_picture):
    _fill(control, 12)
    for language in ("de", "ar"):
        visit = new_visit(locale=language, **PHONE)
        visit.go("/sign-in", search="anna")
        keep_picture(visit.tab, f"persons-found-{language}-phone")
        fits(visit.tab)


def test_who_may_not_enter_sees_why(visit, control, keep_picture):
    control.put("persons/carol", {"may_enter": False})
    visit.go("/sign-in", person="carol")
    keep_picture(visit.tab, "persons-requested")
    visit.tab.locator("#sign-in-submit").click()

    sees(visit.tab, "You may not sign in here")
    keep_picture(visit.tab, "persons-not-admitted")
