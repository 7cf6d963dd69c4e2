"""What somebody without a session can make the service store, by any operation it describes."""

import pytest
from sqlalchemy import select

from authservice.models.column_types import metadata
from tests.attacks.long_requests.sent import FORM
from tests.attacks.long_requests.values import with_long_values
from tests.functional.rate_limits.asking import at
from tests.helpers.production import ORIGIN, production_app, production_browser
from tests.helpers.relying_party import AUTHORIZE, RelyingParty
from tests.openapi.described import operations

pytestmark = pytest.mark.engines("sqlite")

# The longest sign-in that begins, as docs/security.md has it.
MOST_BYTES = 36_000
# What is stored of a value is as long whatever it repeats.
KINDS = ("=a…", ", repeated", ", others")
HEADERS = {"Origin": ORIGIN, "Content-Type": FORM}


@pytest.fixture
def app(make_app, monkeypatch):
    return production_app(make_app, monkeypatch)


def stored(database):
    """Return how many characters all tables hold."""
    return sum(
        len(str(value))
        for table in metadata.tables.values()
        for row in database.reader.execute(select(table))
        for value in row
    )


def long_requests(client):
    """Yield the name of each operation, and a request with one long value after the other."""
    for path, method, described in operations():
        sound = client.request() if path == AUTHORIZE else {"provider": "github"}
        for long in with_long_values(path, method, described, sound, HEADERS):
            if long.name.endswith(KINDS):
                yield f"{method} {path}", long.make(long.longest)


@pytest.mark.attack("EXHAUSTION-disk")
def test_of_all_operations_only_one_that_begins_a_sign_in_stores_anything(app, database):
    client = RelyingParty.registered(app, database)
    grown = {}
    before = stored(database)
    for number, (operation, sent) in enumerate(long_requests(client)):
        # Each from an address of its own, so that no rate limit stops it.
        browser = at(production_browser(app), f"203.0.{number // 256}.{number % 256}")
        address = f"{sent.path}?{sent.query}" if sent.query else sent.path
        browser.request(
            address, method=sent.method, headers=sent.headers, body=sent.body, expect_errors=True
        )
        after = stored(database)
        if after > before:
            grown[operation] = max(grown.get(operation, 0), after - before)
        before = after

    assert grown.keys() == {"get /api/auth/sign-in/begin"}
    assert max(grown.values()) < MOST_BYTES


@pytest.mark.attack("EXHAUSTION-disk")
def test_a_sign_in_that_begins_on_the_page_stores_no_more(app, database):
    page = production_browser(app).get("/sign-in", {"callbackURL": f"/{'a' * 23_000}"})
    before = stored(database)

    page.forms[0].submit("choice", value="sign-in", status=303)

    assert 0 < stored(database) - before < MOST_BYTES
