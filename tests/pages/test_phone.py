"""On a phone: no page scrolls sideways, in the language of the longest words or from the right."""

import pytest

from tests.pages import situations
from tests.pages.layout import fits, fits_fingers

pytestmark = pytest.mark.engines("sqlite")

PHONE = {"device_scale_factor": 2, "has_touch": True, "is_mobile": True}


@pytest.mark.parametrize("language", ["de", "ar"])
def test_a_page_fits_on_a_phone(new_visit, situation, language, keep_picture):
    visit = new_visit(locale=language, viewport={"width": 360, "height": 740}, **PHONE)
    situations.ALL[situation](visit)

    fits(visit.tab)
    keep_picture(visit.tab, f"{situation}-{language}-phone")
    fits_fingers(visit.tab)
    # 1280 pixels at 400 per cent (WCAG 2.2, 1.4.10).
    visit.tab.set_viewport_size({"width": 320, "height": 256})
    fits(visit.tab)
