"""Names as no user should have them: no page breaks, no script runs, one still sees who it is."""

import pytest
from sqlalchemy import update

from authservice.models import user
from tests.helpers.end_session import END_SESSION
from tests.pages.layout import fits

pytestmark = pytest.mark.engines("sqlite")

REORDERING = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
# Each with what a page shows of it.
NAMES = {
    "script": (
        "<script>alert(1)</script><img src=x onerror=alert(2)>",
        "<script>alert(1)</script><img src=x onerror=alert(2)>",
    ),
    "attribute": (
        "\" autofocus onfocus='alert(1)' {{ 7 * 7 }} %(x)s ${y}",
        "{{ 7 * 7 }} %(x)s ${y}",
    ),
    "one-long-word": ("W" * 300, "W" * 60),
    "many-words": ("Reading and writing " * 15, "Reading and writing Reading"),
    "reordered": ("Reading\u202egniK\u2067 List", "ReadinggniK List"),
    "emoji": ("🦊👩‍👩‍👧‍👦🏳️‍🌈" * 40, "🦊👩‍👩‍👧‍👦🏳️‍🌈"),
    "marks": ("Z" + "\u0353\u035f\u0489" * 200, "Z"),
    "dots": ("....", "...."),
}


@pytest.fixture(params=NAMES)
def kind(request):
    return request.param


@pytest.fixture
def phone(new_visit, kind):
    name, _ = NAMES[kind]
    return new_visit(client_name=name, viewport={"width": 360, "height": 740})


def _shows(tab, place, expected):
    """Check that a part of the page names a user, and that its text runs as it is written."""
    text = tab.locator(place).first.inner_text()
    assert expected in text
    assert not set(REORDERING) & set(tab.locator("body").inner_text())
    fits(tab)


def test_a_client_of_any_name(phone, kind, subtests, keep_picture):
    _, shown = NAMES[kind]
    ways = {
        "sign-in": (phone.authorize, ".lead"),
        "consent": (lambda: phone.press("sign-in-submit"), "h1"),
        "account": (lambda: _allow_and_manage(phone), "#application-1"),
        "wrong-person": (lambda: phone.authorize(client_id=phone.others_client_id), "h1"),
        "sign-out": (lambda: phone.go(END_SESSION, client_id=phone.client_id), ".lead"),
    }
    for page, (way, place) in ways.items():
        way()
        with subtests.test(page):
            _shows(phone.tab, place, shown)
        keep_picture(phone.tab, f"{page}-client-{kind}")


def _allow_and_manage(visit):
    visit.press("consent-allow")
    visit.go("/account")


def test_a_person_of_any_name(visit, database, kind, keep_picture):
    name, shown = NAMES[kind]
    visit.tab.set_viewport_size({"width": 360, "height": 740})
    visit.has_signed_in()
    with database.transaction() as connection:
        connection.execute(update(user).values(name=name))

    visit.go("/")
    _shows(visit.tab, ".who strong", shown)
    visit.authorize(prompt="select_account")
    _shows(visit.tab, ".who strong", shown)
    _shows(visit.tab, "button.primary", shown)
    visit.tab.locator("button.primary").click()
    visit.tab.locator("#consent-allow").wait_for()
    keep_picture(visit.tab, f"consent-person-{kind}")
    _shows(visit.tab, ".who strong", shown)
    visit.go("/account")
    _shows(visit.tab, ".who strong", shown)
