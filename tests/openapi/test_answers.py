"""Every answer of the description is one that the service gives, and fits its schema."""

import base64

import pytest
from sqlalchemy import delete, text

from authservice.crypto.secret_values import random_token
from authservice.models import verification
from authservice.models.column_types import metadata
from tests.helpers import github_app
from tests.helpers.admission import NAVIGATION, Gate
from tests.helpers.production import production_app, production_browser, signed_out_cookies
from tests.openapi.described import PATHS, answers, check
from tests.openapi.situations import SITUATIONS
from tests.openapi.world import World

DESCRIBED = answers()
TOO_MANY = [each for each in DESCRIBED if each.status == 429]
UNAVAILABLE = [each for each in DESCRIBED if each.status == 503]
# What cannot be read, where it is not what the endpoint itself refuses: test_odd_requests.py.
UNREADABLE = [
    each
    for each in DESCRIBED
    if each.status in {400, 413, 414}
    and each.content_type == "application/json"
    and not SITUATIONS[each.operation, each.status, each.content_type]
]
# Not in local mode.
CONFIRMING = [
    each
    for each in DESCRIBED
    if each.status == 303 and each.operation in {"get_landing", "get_sign_in"}
]
SPECIAL = TOO_MANY + UNAVAILABLE + UNREADABLE + CONFIRMING
OTHERS = [each for each in DESCRIBED if each not in SPECIAL]
# Beyond the highest limit of one address.
MANY = 320
JUNK_CREDENTIALS = {
    "oauth2_userinfo": f"Bearer {random_token()}",
    "oauth2_token": f"Basic {base64.b64encode(b'a:b').decode()}",
    "oauth2_introspect": f"Basic {base64.b64encode(b'a:b').decode()}",
    "oauth2_revoke": f"Basic {base64.b64encode(b'a:b').decode()}",
}


@pytest.fixture
def production_with_app(app, make_app, database, monkeypatch):
    """Return a browser of a production with a GitHub App."""
    # Production refuses a database that knows the developer of local mode, so it comes first.
    with database.transaction() as connection:
        # It forgets that local mode has served it.
        connection.execute(delete(verification))
    for name, value in github_app.environ().items():
        monkeypatch.setenv(name, value)
    production = production_app(make_app, monkeypatch)
    return lambda: production_browser(production)


@pytest.fixture
def make_world(app, database, production_with_app):
    """Make a user, as if it were the first, and a client."""
    return lambda: World(app, database, production_with_app)


def situations(answer):
    return SITUATIONS[answer.operation, answer.status, answer.content_type]


@pytest.mark.attack("FAILURES-24")
def test_a_described_answer_is_given(subtests, make_world):
    for answer in OTHERS:
        with subtests.test(answer=str(answer)):
            assert situations(answer), "no request leads to it"

            for prepare in situations(answer):
                check(answer, prepare(make_world())())


def test_who_has_to_be_confirmed_is_led_to_the_provider(
    subtests, make_app, monkeypatch, standin, turnable_clock
):
    standin.organization("acme", members={"octocat": "active"})
    gate = Gate(make_app, monkeypatch, standin)
    person, _ = gate.come(gate.serves(admission__organizations="acme"))
    turnable_clock.advance(days=2)

    for answer in CONFIRMING:
        with subtests.test(answer=str(answer)):
            check(answer, person.get(PATHS[answer.operation], headers=NAVIGATION))


def test_no_situation_leads_to_an_answer_that_is_not_described():
    known = {(each.operation, each.status, each.content_type) for each in DESCRIBED}

    assert sorted(str(key) for key in SITUATIONS if key not in known) == []


def test_too_many_requests_are_answered_as_described(make_app, monkeypatch, database):
    """One application counts them all: each operation is called from an address of its own."""
    for name, value in github_app.environ().items():
        monkeypatch.setenv(name, value)
    app = production_app(make_app, monkeypatch, ratelimit__unknown_tokens="100")
    unknown = signed_out_cookies(app, database)
    for number, answer in enumerate(TOO_MANY):
        browser = production_browser(app, unknown)
        browser.extra_environ["REMOTE_ADDR"] = f"203.0.113.{number}"
        check(answer, _after_too_many(browser, answer.operation))

    assert len(TOO_MANY) > 20


def _after_too_many(browser, operation):
    path = PATHS[operation].replace("{provider_id}", "github")
    method, _, name = operation.partition("_")
    headers = {"Authorization": JUNK_CREDENTIALS[name]} if name in JUNK_CREDENTIALS else {}
    response = None
    for _ in range(MANY):
        response = browser._gen_request(method.upper(), path, headers=headers, expect_errors=True)
        if response.status_int == 429:
            break
    return response


def test_without_a_database_the_answer_is_the_described_one(
    subtests, make_world, database, make_app, monkeypatch, tmp_path
):
    # A server that has read its keys needs the database no more; this one never could.
    unreadable = production_app(make_app, monkeypatch, auth__database_url=f"sqlite:///{tmp_path}")
    waiting = production_browser(unreadable)
    requests = []
    for answer in UNAVAILABLE:
        with subtests.test(answer=str(answer)):
            world = make_world()
            requests.append((answer, _needing_the_database(world, answer.operation, waiting)))
    with database.transaction() as connection:
        # The children first.
        for table in reversed(metadata.sorted_tables):
            connection.execute(text(f'DROP TABLE "{table.name}"'))

    for answer, send in requests:
        with subtests.test(answer=str(answer)):
            check(answer, send())


def _needing_the_database(world, operation, waiting):
    if operation == "get_jwks":
        return world.get(PATHS[operation], browser=waiting)
    if operation == "get_sign_in_begin":
        # Local mode only names its own page; production begins the attempt at once.
        return world.get(PATHS[operation], browser=world.production_with_app())
    good = [
        prepare
        for each in DESCRIBED
        if each.operation == operation and each.status in {200, 202, 204, 303}
        for prepare in situations(each)
    ]
    if operation != "post_provider_webhook":
        world.signed_in()
    return good[-1](world)
