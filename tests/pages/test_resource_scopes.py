"""Scopes of resources on the consent page: a few, sixty, and sentences of any length."""

import pytest

from tests.helpers.resource_file import resource_file
from tests.pages.accessibility import barriers, has_no_barrier
from tests.pages.layout import DESKTOP, PHONE, fits
from tests.pages.visit import Visit

pytestmark = pytest.mark.engines("sqlite")

NOTES = "https://notes.example.com"
FILES = "https://files.example.com/v1"
LONG = "Do what takes more words than a line of a small telephone has room for, " * 3
SCOPES = {f"notes:{number}": f"{number} {LONG}" for number in range(60)}
SCOPES |= {"notes:read": "Read your notes", "notes:write": "<b>Change</b> your notes"}


@pytest.fixture
def service(server, make_app, tmp_path):
    sentences = "\n".join(f"scopes.'{scope}' = '{text}'" for scope, text in SCOPES.items())
    notes = f'["{NOTES}"]\nname = "Team notes"\n{sentences}'
    server.application = make_app(
        auth__url=server.url, auth__resources=resource_file(tmp_path, notes, FILES)
    )
    return server


@pytest.fixture
def consent(new_context, service, application, register):
    """Show the consent page to someone whom a client asks for these scopes."""

    def show(scopes, **options):
        client_id = register(resources=[NOTES, FILES])
        tab = new_context(**options).new_page()
        visit = Visit(tab, service.url, client_id, f"{application.origin}/callback")
        visit.authorize(scope=f"openid profile {' '.join(scopes)}", resource=FILES)
        visit.press("sign-in-submit")
        return visit

    return show


@pytest.mark.parametrize("screen", ["desktop", "phone", "dark"])
@pytest.mark.parametrize("number", [2, len(SCOPES)])
def test_they_are_shown_and_chosen_without_a_barrier(consent, screen, number, keep_picture):
    options = {"desktop": {"viewport": DESKTOP}, "phone": PHONE}.get(screen)
    options = options or {"viewport": DESKTOP, "color_scheme": "dark"}
    scopes = [*SCOPES][-number:]

    visit = consent(scopes, **options)

    fits(visit.tab)
    has_no_barrier(visit.tab, keep_picture, f"consent-scopes-{number}-{screen}")
    shown = visit.tab.locator(".sentences li").all_inner_texts()
    assert all(SCOPES[scope].strip() in text for scope, text in zip(scopes, shown, strict=True))
    visit.tab.get_by_role("link", name="Choose what you share").click()
    visit.tab.get_by_role("checkbox", name="Read your notes").uncheck()
    fits(visit.tab)
    assert barriers(visit.tab) == []
    keep_picture(visit.tab, f"consent-scopes-{number}-{screen}-choose")


def test_none_of_them_is_out_of_sight(consent):
    tab = consent([*SCOPES], **PHONE).tab

    heights = "element => [element.scrollHeight, element.clientHeight]"
    whole, seen = tab.locator(".sentences").evaluate(heights)
    assert whole == seen
