"""Several processes of local mode on one database: they have one clock, and the same keys."""

from datetime import UTC, datetime

import pytest
import requests

from tests.e2e.person import Person
from tests.helpers.processes import LocalService
from tests.helpers.published_keys import JWKS, KeySetAt, decoded
from tests.helpers.remote_control import RemoteControl
from tests.helpers.waiting import until

WEEK = 7 * 24 * 3600


@pytest.fixture
def pair(tmp_path, engine):
    """Two servers of one service."""
    url = engine.empty(tmp_path)
    environ = {"AUTH_DATABASE_URL": url, **engine.local_environ}
    first = LocalService(tmp_path, **environ)
    second = LocalService(tmp_path, **environ | {"AUTH_URL": first.url})
    yield first, second
    second.stop()
    first.stop()
    engine.drop(url)


@pytest.fixture
def control(pair):
    """A program that asks the first one."""
    return RemoteControl(pair[0])


def cookie_of(first):
    """Return what the browser of a person who has signed in sends, whatever is answered."""
    person = Person(first.url)
    person.open(f"{first.url}/sign-in")
    return "; ".join(f"{cookie.name}={cookie.value}" for cookie in person.http.cookies)


def ask(server, path, cookie):
    """Return what a server answers to a browser."""
    return requests.get(f"{server.url}{path}", headers={"Cookie": cookie}, timeout=20).json()


@pytest.mark.engines("sqlite", "postgresql")
def test_a_process_follows_the_clock_that_another_has_turned(pair, control):
    first, second = pair
    cookie = cookie_of(first)
    session = "/api/auth/get-session?disableRefresh=true"
    assert ask(second, session, cookie)["user"]["id"] == "local-developer"

    control.post("clock", {"advance": WEEK + 1})

    assert ask(first, session, cookie) is None
    until(lambda: ask(second, session, cookie) is None)
    control.post("clock", {"reset": True})
    until(lambda: ask(second, session, cookie) is not None)


def test_a_frozen_clock_stands_in_every_process(pair, control):
    first, second = pair
    control.post("clock", {"freeze": "2031-02-03T04:05:06Z"})
    moment = datetime(2031, 2, 3, 4, 5, 6, tzinfo=UTC).timestamp()
    cookie = cookie_of(first)

    def issued_at(server):
        token = ask(server, "/api/auth/token", cookie)["token"]
        return decoded(token, KeySetAt(server.url))[1]["iat"]

    until(lambda: issued_at(second) == moment)
    assert issued_at(first) == issued_at(second) == moment


def test_a_process_that_starts_later_has_the_clock_from_its_first_answer(pair, control, tmp_path):
    first, _ = pair
    cookie = cookie_of(first)
    control.post("clock", {"advance": WEEK + 1})

    environ = {**first.env, "AUTH_URL": first.url}
    third = LocalService(tmp_path, **environ)
    try:
        assert ask(third, "/api/auth/get-session", cookie) is None
    finally:
        third.stop()


def test_a_process_follows_the_keys_that_another_has_changed_also_while_the_clock_stands(
    pair, control
):
    _, second = pair
    control.post("clock", {"freeze": "2031-02-03T04:05:06Z"})

    told = control.post("keys/rotate", {})["keys"]

    def published():
        return {key["kid"] for key in KeySetAt(second.url).get(JWKS).json["keys"]}

    until(lambda: published() == {key["kid"] for key in told if key["alg"] == "RS256"})
