"""Events of the provider, the poll and sign-ins at the same time, in several processes."""

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from time import sleep

import pytest
from sqlalchemy import delete, func, select, update

from authservice import clock
from authservice.models import admission_state, provider_event, removed_account, session, user
from authservice.services.admission import poll_turns, state, stored_events, stored_people
from authservice.services.people import users
from authservice.services.revocation import removal
from tests.helpers import github_app, provider_events
from tests.helpers.production import ORIGIN, production_app
from tests.helpers.profiles import profile
from tests.helpers.waiting import until
from tests.unit.services.admission.people import admitting
from tests.unit.settings.loading import PRODUCTION_ENVIRON, PRODUCTION_INI, changed

pytestmark = pytest.mark.engines("sqlite", "postgresql")

ROUNDS = 8
HUBOT = "480938"
RULES = {"admission.organizations": "acme"}
sessions = select(func.count()).select_from(session)


@pytest.fixture
def acme(standin):
    github_app.register(standin)
    standin.organization("Acme", id=7, installation=70)
    return standin


@pytest.fixture
def app(make_app, monkeypatch, acme):
    for name, value in github_app.environ().items():
        monkeypatch.setenv(name, value)
    return production_app(make_app, monkeypatch, **acme.ini, **RULES)


@pytest.fixture
def processes(app, make_processes, database_url, acme):
    environ = changed(PRODUCTION_ENVIRON, {"ADMISSION_EVERYONE": None}) | github_app.environ()
    made = make_processes(environ)
    made.build(PRODUCTION_INI | acme.ini | RULES | {"auth.database_url": database_url})
    return made


def left():
    """Return the request of the provider that says so."""
    return said("organization", provider_events.organization("member_removed"))


def lists_changed():
    """Return a request upon which the process that hears it reads the lists at once."""
    return said("team", provider_events.team("edited"))


def said(event, content):
    body, headers = github_app.signed(event, content)
    return {
        "path": github_app.WEBHOOK,
        "origin": ORIGIN,
        "headers": headers,
        "body": body.decode(),
    }


def send_while_hubot_leaves(processes, acme, orders):
    """Send requests in any order, while Hubot leaves the organization at any moment."""

    def leave(seconds):
        sleep(seconds)
        acme.organization("Acme", members={})

    random.shuffle(orders)
    with ThreadPoolExecutor(1) as other:
        leaving = other.submit(leave, random.uniform(0, 0.2))
        answers = processes.send(orders)
        leaving.result()
    assert {each["status"] for each in answers} <= {202, 303, 400, 403}, answers


@pytest.mark.attack("ADMISSION-left")
def test_nobody_stays_who_left_while_signing_in(processes, return_from_provider, acme, database):
    """Sign-ins and events in four processes, while Hubot leaves; the last event is after that."""
    for _ in range(ROUNDS):
        acme.organization("Acme", members={"hubot": "active"})
        with database.transaction() as connection:
            connection.execute(delete(removed_account))
            connection.execute(delete(provider_event))
        arriving = [return_from_provider("hubot") for _ in range(2)]
        send_while_hubot_leaves(processes, acme, [*arriving, left(), left()])
        processes.send([left()])

        until(lambda: database.reader.scalar(select(removed_account.c.id)) == HUBOT)
        until(lambda: database.reader.scalar(sessions) == 0)
        of_bodies = ~provider_event.c.id.contains(" asked ")
        assert database.reader.scalar(select(func.count()).where(of_bodies)) == 1


@pytest.mark.attack("ADMISSION-left")
def test_nobody_stays_whom_the_lists_do_not_name(processes, return_from_provider, acme, database):
    """Sign-ins and the poll in four processes, while Hubot leaves; the last poll is after that."""
    for _ in range(ROUNDS):
        acme.organization("Acme", members={"hubot": "active"})
        with database.transaction() as connection:
            connection.execute(delete(removed_account))
        first, *arriving = [return_from_provider("hubot") for _ in range(3)]
        processes.send([first])
        assert database.reader.scalar(sessions) == 1
        send_while_hubot_leaves(processes, acme, [*arriving, lists_changed(), lists_changed()])
        processes.send([lists_changed()])

        until(lambda: database.reader.scalar(sessions) == 0)


def test_each_event_has_one_process(database):
    numbers = [str(number) for number in range(8 * ROUNDS)]
    together = Barrier(8)

    def claim_all(_):
        together.wait()
        claimed = iter(lambda: stored_events.claim(database), None)
        return [event_id for events in claimed for event_id in events.ids]

    with database.transaction() as connection:
        for number in numbers:
            stored_events.store(connection, number, first={}, again={})
    with ThreadPoolExecutor(8) as threads:
        claimed = [each for some in threads.map(claim_all, range(8)) for each in some]

    assert sorted(claimed) == sorted(numbers)


def test_nobody_is_asked_about_by_two_processes_at_a_time(database):
    """Eight that claim, while events about four people go on coming."""
    people = Counter()
    acted = []

    def store(number):
        with database.transaction() as connection:
            event_id = stored_events.name("github", str(number % 4), str(number))
            urgent = number % 3 == 0
            stored_events.store(connection, event_id, first={}, again={}, is_urgent=urgent)

    def act(_):
        while len(acted) < 20 * ROUNDS:
            events = stored_events.claim(database)
            if events is not None:
                people[events.person] += 1
                alone = people[events.person] == 1
                people[events.person] -= 1
                stored_events.done(database, events, 1)
                acted.extend(alone for _ in events.ids)

    with ThreadPoolExecutor(8) as acting, ThreadPoolExecutor(2) as coming:
        waiting = acting.map(act, range(8))
        list(coming.map(store, range(20 * ROUNDS)))
        list(waiting)

    assert all(acted)


def test_one_of_many_has_the_turn(database):
    settings = admitting(ADMISSION_ORGANIZATIONS="acme")
    state.apply(database, settings)
    together = Barrier(8)

    def take(_):
        together.wait()
        return poll_turns.take(database)

    with ThreadPoolExecutor(8) as threads:
        for _ in range(ROUNDS):
            taken = [turn for turn in threads.map(take, range(8)) if turn is not None]
            assert len(taken) == 1
            with database.transaction() as connection:
                connection.execute(update(admission_state).values(poll_at=None, poll_until=None))


def test_a_removal_while_the_poll_confirms_counts_more(database):
    settings = admitting(ADMISSION_ORGANIZATIONS="acme")
    state.apply(database, settings)
    with database.transaction() as connection:
        theirs = profile(HUBOT, "Hubot", email=None, email_verified=False)
        hubot, _ = users.from_profile(connection, theirs)
    fingerprint = state.fingerprint(settings)

    def confirm(began_at):
        together.wait()
        with database.transaction() as connection:
            stored_people.confirm(
                connection,
                {hubot.id: "org:acme"},
                began_at=began_at,
                fingerprint=fingerprint,
            )

    def remove():
        together.wait()
        with database.begin() as transaction:
            removal.remove(transaction, HUBOT, clock.now(), provider_id="github")

    for _ in range(5 * ROUNDS):
        together = Barrier(2)
        with ThreadPoolExecutor(2) as threads:
            both = [threads.submit(confirm, clock.now()), threads.submit(remove)]
            for each in both:
                each.result()
        admitted_at = database.reader.scalar(
            select(user.c.admitted_at).where(user.c.id == hubot.id)
        )
        assert admitted_at is None
