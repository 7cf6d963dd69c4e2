"""A user is deleted while requests of theirs are under way: none fails, and nothing stays."""

import json
import random
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlencode

import pytest
from sqlalchemy import select

from authservice.models import metadata, session, user, verification
from authservice.services.people import person_lock
from authservice.services.revocation import user_administration
from tests.helpers.applications import LOCAL
from tests.helpers.browser import Browser
from tests.helpers.lock_waits import wait_for_a_turn, wait_until_blocked
from tests.helpers.relying_party import AUTHORIZE, TOKEN, RelyingParty

PERSON = "local-developer"
MANY = 20


# Requests of the person, ready to be sent: each is a function that sends it.


def allowing(story):
    other = RelyingParty.registered(story.app, story.database)
    page = story.browser.follow_home(other.authorize(story.browser))
    return lambda: story.browser.follow_home(page.forms[0].submit("decision", value="allow"))


def asking_for_a_code(story):
    return lambda: story.browser.follow_home(story.client.authorize(story.browser))


def refreshing(story):
    return lambda: story.client.token_request(story.refresh())


def redeeming(story):
    return lambda: story.client.token_request(story.redeem())


def signing_in(story):
    browser = Browser(story.app)
    coming_back = browser.get("/sign-in").forms[0].submit("choice", value="sign-in")
    return lambda: browser.follow_home(coming_back)


def remove(transaction):
    found = user_administration.find(transaction.connection, PERSON)
    return user_administration.remove(transaction, found)


def delete(story):
    with story.database.begin() as transaction:
        return remove(transaction)


def codes(database):
    stored = select(verification.c.value).where(verification.c.value.startswith("{"))
    return [json.loads(value) for value in database.reader.scalars(stored.order_by("id"))]


def without_owner(database):
    """Return the codes that belong to no session; other rows cannot be without their user."""
    sessions = set(database.reader.scalars(select(session.c.id)))
    return [code for code in codes(database) if code["session_id"] not in sessions]


def rows_about(database):
    tables = [table for table in metadata.tables.values() if "user_id" in table.c]
    return {
        table.name
        for table in tables
        if database.reader.execute(select(table).where(table.c.user_id == PERSON)).first()
    }


@pytest.mark.parametrize(
    ("prepare", "expected"),
    [
        (allowing, "/sign-in"),
        (asking_for_a_code, "/sign-in"),
        (refreshing, "invalid_grant"),
        (redeeming, "invalid_grant"),
        (signing_in, "/"),
    ],
)
def test_a_request_that_waits_for_the_deletion_is_answered_as_after_it(story, prepare, expected):
    send = prepare(story)
    with ThreadPoolExecutor(1) as other:
        with story.database.begin() as transaction:
            remove(transaction)
            sending = other.submit(send)
            wait_for_a_turn(story.app, story.database, sending)
        answer = sending.result()

    seen = answer.json["error"] if answer.status_int == 400 else answer.request.path
    assert seen == expected
    assert without_owner(story.database) == []
    # Who signs in is a new user.
    assert rows_about(story.database) == ({"account", "session"} if expected == "/" else set())


@pytest.mark.engines("postgresql")
@pytest.mark.parametrize(
    "prepare", [allowing, asking_for_a_code, refreshing, redeeming, signing_in]
)
def test_what_came_before_the_deletion_goes_with_it(story, prepare):
    send = prepare(story)
    with ThreadPoolExecutor(2) as others:
        with story.database.transaction() as connection:
            person_lock.claim(connection, user.c.id == PERSON)
            sending = others.submit(send)
            wait_until_blocked(story.database, sending)
            deleting = others.submit(delete, story)
            wait_until_blocked(story.database, sending, deleting)
        answer = sending.result()
        deleting.result()

    assert answer.status_int in {200, 303}
    assert without_owner(story.database) == []
    assert rows_about(story.database) == set()


@pytest.fixture
def processes(make_processes, engine, database_url):
    made = make_processes(engine.local_environ)
    made.build(LOCAL | {"auth.database_url": database_url, "lifetimes.refresh_grace": "300"})
    return made


def test_processes_that_serve_meanwhile_fail_nobody(story, processes):
    other = RelyingParty.registered(story.app, story.database)
    page = story.browser.follow_home(other.authorize(story.browser))
    cookies = story.browser.cookie_header()
    of_the_person = {"headers": {"Cookie": cookies}}
    allowed = dict(page.forms[0].submit_fields("decision", submit_value="allow"))
    requests = MANY * [
        {"path": TOKEN, "form": story.refresh(), "headers": story.client.credentials()},
        {"path": f"{AUTHORIZE}?{urlencode(story.client.request())}", **of_the_person},
        {"path": "/consent", "form": allowed, **of_the_person},
    ]
    random.shuffle(requests)

    with ThreadPoolExecutor(1) as thread:
        before = codes(story.database)
        sending = thread.submit(processes.send, requests)
        while codes(story.database) == before and not sending.done():
            pass
        delete(story)
        answers = sending.result()

    # A refresh is answered or refused, a browser sent on, and the form of no session refused.
    assert {answer["status"] for answer in answers} <= {200, 303, 400, 403}
    assert without_owner(story.database) == []
    assert rows_about(story.database) == set()
