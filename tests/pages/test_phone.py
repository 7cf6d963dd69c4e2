"""On a phone: no page scrolls sideways, in the language of the longest words or from the right."""

import pytest

from tests.pages import situations
from tests.pages.layout import fits

pytestmark = pytest.mark.engines("sqlite")

PHONE = {"device_scale_factor": 2, "has_touch": True, "is_mobile": True}
FINGER = 24  # WCAG 2.2, 2.5.8, in CSS pixels


@pytest.mark.parametrize("language", ["de", "ar"])
def test_a_page_fits_on_a_phone(new_visit, situation, language, keep_picture):
    visit = new_visit(locale=language, viewport={"width": 360, "height": 740}, **PHONE)
    situations.ALL[situation](visit)

    fits(visit.tab)
    keep_picture(visit.tab, f"{situation}-{language}-phone")
    for button in visit.tab.locator("button, a.button, input[type=checkbox]").all():
        box = button.bounding_box()
        assert min(box["width"], box["height"]) >= FINGER
    # 1280 pixels at 400 per cent (WCAG 2.2, 1.4.10).
    visit.tab.set_viewport_size({"width": 320, "height": 256})
    fits(visit.tab)
