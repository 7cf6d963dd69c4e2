"""What a page costs: few bytes, one style sheet that it waits for, and nothing that jumps."""

from datetime import timedelta
from itertools import groupby

import pytest
from sqlalchemy import select

from authservice.models import user
from authservice.services.people import consents, users
from authservice.services.sessions import sessions
from tests.pages import situations
from tests.pages.visit import FIREFOX

pytestmark = pytest.mark.engines("sqlite")

PAGE = 20 * 1024
STYLE_SHEET = 15 * 1024
SCOPES = ("openid", "profile", "email", "offline_access")
# Two frames later, whatever moves has been noted.
_SHIFTS = """() => new Promise(done => {
    const scores = [];
    new PerformanceObserver(list => scores.push(...list.getEntries().map(each => each.value)))
        .observe({ type: "layout-shift", buffered: true });
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(scores))));
})"""
_WAITED_FOR = """() => performance.getEntriesByType("resource")
    .filter(entry => entry.renderBlockingStatus === "blocking")
    .map(entry => new URL(entry.name).pathname.split("/").pop())"""


@pytest.fixture
def responses(visit):
    """Everything that the browser is answered, in order."""
    answered = []
    # Playwright takes no method of a built-in type.
    visit.tab.context.on("response", lambda each: answered.append(each))  # noqa: PLW0108
    return answered


def _bytes(response):
    sizes = response.request.sizes()
    return sizes["responseHeadersSize"] + sizes["responseBodySize"]


def _weights(responses):
    """Return the bytes of the last page and of each file that was fetched on the way to it."""
    pages = [each for each in responses if each.request.is_navigation_request()]
    files = [each for each in responses if "/static/" in each.url]
    by_url = {url: max(map(_bytes, each)) for url, each in groupby(sorted(files, key=_url), _url)}
    return _bytes(pages[-1]), by_url


def _url(response):
    return response.url


def _is_light(visit, responses):
    visit.tab.wait_for_load_state("networkidle")
    page, files = _weights(responses)
    (style_sheet,) = (url for url in files if ".css" in url)
    assert len(visit.tab.context.request.get(style_sheet).body()) < STYLE_SHEET
    assert files[style_sheet] < page + sum(files.values()) < PAGE


def test_a_page_is_light_and_waits_for_its_style_sheet_only(visit, responses, situation):
    situations.ALL[situation](visit)

    _is_light(visit, responses)
    assert visit.tab.evaluate(_SHIFTS) == []
    assert visit.tab.evaluate(_WAITED_FOR) == ["authservice.css"]


def test_the_account_of_somebody_with_many_things_is_light(visit, responses, database, register):
    visit.sign_in()
    with database.transaction() as connection:
        user_id = connection.scalar(select(user.c.id))
        for _ in range(25):
            sessions.create(
                connection,
                users.find(connection, user_id),
                timedelta(days=7),
                ip_address="2001:db8:1234:5678:9abc:def0:1234:5678",
                user_agent=FIREFOX,
            )
    for number in range(25):
        client_id = register(f"Reading List of the {number}th Department")
        with database.begin() as transaction:
            consents.grant(transaction, client_id, user_id, SCOPES, ())

    visit.go("/account")

    assert visit.tab.locator(".entries > li").count() == 20
    _is_light(visit, responses)
