"""No page has a barrier that axe-core knows of, in either colour scheme and writing direction."""

import pytest

from tests.pages import situations
from tests.pages.accessibility import barriers, barriers_of_colours

pytestmark = pytest.mark.engines("sqlite")


@pytest.mark.parametrize("language", ["en", "ar"])
def test_no_page_has_a_barrier(new_visit, situation, language, keep_picture):
    visit = new_visit(locale=language)
    situations.ALL[situation](visit)

    assert visit.tab.locator("html").get_attribute("dir") == {"en": "ltr", "ar": "rtl"}[language]
    assert barriers(visit.tab) == []
    for scheme in ("light", "dark"):
        for contrast in ("more", "no-preference"):
            # Colours change at once, so that none is measured on its way to another.
            visit.tab.emulate_media(color_scheme=scheme, contrast=contrast, reduced_motion="reduce")
            assert barriers_of_colours(visit.tab) == [], f"{scheme}, contrast: {contrast}"
        keep_picture(visit.tab, f"{situation}-{language}-{scheme}")
