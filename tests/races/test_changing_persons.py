"""Browsers and tabs in which another person signs in at the same moment, or the same one again.

Each is one person's afterwards, and the clients of a session that ended are told once. A session
that one tab has just renewed goes on when the other one still had the cookie of before.
"""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import count, permutations

import pytest
from sqlalchemy import select

from authservice.models import account, session, user
from authservice.services.clients import client_administration
from authservice.services.sessions import logout_notices
from tests.helpers.expired import notices
from tests.helpers.lock_waits import wait_until_blocked
from tests.helpers.production import production_app, production_browser
from tests.helpers.relying_party import RelyingParty
from tests.races.processes import NUMBER, arrival
from tests.unit.settings.loading import PRODUCTION_ENVIRON, PRODUCTION_INI

ROUNDS = 10
ADA, BOB, CLEO = "octocat", "hubot", "newcomer"
ACCOUNTS = {ADA: "583231", BOB: "480938", CLEO: "900001"}


@pytest.fixture
def app(make_app, monkeypatch, standin):
    return production_app(make_app, monkeypatch, **standin.ini)


@pytest.fixture
def open_browser(app):
    """Open browsers, each at an address of its own: none is in another's limits."""
    numbers = count(1)

    def open_one(cookies=""):
        browser = production_browser(app, cookies)
        browser.extra_environ["REMOTE_ADDR"] = f"192.0.2.{next(numbers)}"
        return browser

    return open_one


@pytest.fixture
def leave(standin):
    """Go to the provider as a user; return the way back, in a tab of its own."""

    def go(browser, login):
        page = browser.get("/sign-in").forms[0].submit("choice", value="sign-in")
        return browser.path(standin.allow(browser.follow_home(page).location, login))

    return go


@pytest.fixture
def client(app, database):
    """A client that is to be told of ended sessions; while it is disabled the notices wait."""
    registered = RelyingParty.registered(app, database)
    with database.begin() as transaction:
        row = client_administration.find_to_change(transaction.connection, registered.client_id)
        client_administration.set_disabled(transaction, row, disabled=True)
    return registered


@pytest.fixture
def signed_in(open_browser, leave, client, database):
    """Open a browser in which a user is signed in, here and at the client."""

    def open_one(login):
        browser = open_browser()
        browser.visit(leave(browser, login))
        with database.transaction() as connection:
            logout_notices.add_participant(connection, session_id(browser), client.client_id)
        return browser

    return open_one


@pytest.fixture
def processes(make_processes, database_url, standin):
    """Four processes in production on the test's database."""
    made = make_processes(PRODUCTION_ENVIRON)
    made.build(PRODUCTION_INI | standin.ini | {"auth.database_url": database_url})
    return made


def session_id(browser):
    return browser.session()["session"]["id"]


def cookies_of(answer):
    """Return the shared cookie and the companion that an answer sets."""
    pairs = [header.partition(";")[0] for header in answer["cookies"]]
    return [next(pair for pair in pairs if name in pair) for name in ("session_token", "_host=")]


def living(database, session_ids):
    """Return the sessions among these that go on."""
    return {*database.reader.scalars(select(session.c.id).where(session.c.id.in_(session_ids)))}


def persons(browser):
    """Return whose session a browser presents, and whether it manages that person's account."""
    presented = browser.session()
    managed = browser.get("/api/auth/list-sessions", status=[200, 401])
    assert managed.status_int == 401 or {each["userId"] for each in managed.json} == {
        presented["user"]["id"]
    }
    return presented and presented["user"]["id"], managed.status_int == 200


def user_of(database, login):
    return database.reader.scalar(
        select(account.c.user_id).where(account.c.account_id == ACCOUNTS[login])
    )


@pytest.mark.attack("BROWSER-other-person")
def test_each_browser_is_one_persons_and_the_former_sessions_end_once(
    processes, open_browser, signed_in, leave, database
):
    for number in range(ROUNDS):
        first, second = signed_in(ADA), signed_in(BOB)
        former = [arrival(each, "")["headers"]["Cookie"] for each in (first, second)]
        begun = {session_id(each) for each in (first, second)}
        tabs = [(first, BOB), (first, CLEO), (second, ADA), (second, BOB)]
        assert len(tabs) == NUMBER

        answers = processes.send([arrival(each, leave(each, who)) for each, who in tabs])

        assert Counter(each["status"] for each in answers) == {303: NUMBER}, number
        told = Counter(each for each, _ in notices(database))
        assert set(told.values()) == {1}, number
        assert begun - told.keys() == living(database, begun), number
        assert [open_browser(each).session() for each in former] == [None, None]
        whose = [user_of(database, login) for _, login in tabs]
        cookies = [cookies_of(answer) for answer in answers]
        *first_three, renewing = [persons(open_browser("; ".join(pair))) for pair in cookies]
        assert first_three == [(each, True) for each in whose[:3]]
        # Who renews a session is signed in, unless the other tab ends it right afterwards.
        assert renewing in [(whose[3], True), (None, False)]
        for (shared, _), (_, companion) in permutations(cookies, 2):
            assert not persons(open_browser(f"{shared}; {companion}"))[1]


@pytest.mark.engines("postgresql")
@pytest.mark.attack("BROWSER-other-person")
def test_browsers_that_exchange_persons_do_not_wait_for_one_another(signed_in, leave, database):
    first, second = signed_in(ADA), signed_in(BOB)
    former = {session_id(first), session_id(second)}
    ways = [(second, leave(second, ADA)), (first, leave(first, BOB))]
    ada, bob = (user_of(database, login) for login in (ADA, BOB))

    with ThreadPoolExecutor(2) as threads:
        with database.transaction() as connection:
            # Both wait for this one, the first to begin in front.
            connection.execute(select(user.c.id).where(user.c.id == ada).with_for_update())
            coming = []
            for browser, way in ways:
                coming.append(threads.submit(browser.visit, way))
                wait_until_blocked(database, *coming)
        answers = [each.result() for each in coming]

    assert [each.status_int for each in answers] == [303, 303]
    assert [each.session()["user"]["id"] for each in (first, second)] == [bob, ada]
    assert Counter(each for each, _ in notices(database)) == Counter(former)
    assert living(database, former) == set()
