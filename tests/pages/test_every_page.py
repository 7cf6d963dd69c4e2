"""Every page is light, has no barrier, goes by keyboard, and fits on a phone.

A page is opened once for all that is looked at in one window and language.
"""

import pytest

from tests.pages import situations
from tests.pages.accessibility import barriers, barriers_of_colours, colour_schemes
from tests.pages.keyboard import reaches_every_control_in_its_turn
from tests.pages.layout import NARROW, PHONE, fits, fits_fingers
from tests.pages.weight import Weight

pytestmark = pytest.mark.engines("sqlite")


@pytest.fixture(params=situations.ALL)
def situation(request):
    """The name of a page."""
    return request.param


def test_on_a_desktop(new_visit, situation, subtests, keep_picture):
    visit = new_visit()
    weight = Weight(visit.tab)
    situations.ALL[situation](visit)

    with subtests.test("nothing jumps"):
        weight.is_steady()
    with subtests.test("keyboard"):
        reaches_every_control_in_its_turn(visit.tab)
    with subtests.test("weight"):
        # By now, what a page fetches late has come, too.
        weight.is_light()
    with subtests.test("barriers"):
        assert barriers(visit.tab) == []
    for scheme in colour_schemes(visit.tab):
        for contrast in ("more", "no-preference"):
            with subtests.test("barriers of colours", scheme=scheme, contrast=contrast):
                visit.tab.emulate_media(contrast=contrast)
                assert barriers_of_colours(visit.tab) == []
        keep_picture(visit.tab, f"{situation}-{scheme}")


@pytest.mark.parametrize(("language", "direction"), [("de", "ltr"), ("ar", "rtl")])
def test_on_a_phone(new_visit, situation, language, direction, subtests, keep_picture):
    """In the language of the longest words, and from the right."""
    visit = new_visit(locale=language, **PHONE)
    situations.ALL[situation](visit)

    with subtests.test("direction"):
        assert visit.tab.locator("html").get_attribute("dir") == direction
    with subtests.test("layout"):
        fits(visit.tab)
    keep_picture(visit.tab, f"{situation}-{language}-phone")
    with subtests.test("fingers"):
        fits_fingers(visit.tab)
    with subtests.test("barriers"):
        assert barriers(visit.tab) == []
    with subtests.test("layout at 400 per cent"):
        visit.tab.set_viewport_size(NARROW)
        fits(visit.tab)
