"""Signing in where an App asks for members: the same source as that of the poll, and no scope."""

import threading
from dataclasses import asdict
from urllib.parse import parse_qs, urlsplit

import pytest
from sqlalchemy import and_, select

from authservice.identity_provider.github_app.provider_events import Hint
from authservice.models import admission_state, removed_account, user
from authservice.services.admission import poll_turns, stored_events
from tests.helpers import provider_events
from tests.helpers.ports import free_port
from tests.helpers.production import production_browser
from tests.helpers.scrape import scrape, value
from tests.helpers.waiting import until


def _app(production):
    return production.registry.components.github_app


@pytest.fixture
def port():
    return free_port()


@pytest.fixture
def poll(production, database):
    """Return when the lists have been read, by the test or by the service's own thread."""
    was_read = and_(admission_state.c.poll_at.is_not(None), admission_state.c.poll_until.is_(None))

    def done():
        return database.reader.scalar(select(admission_state.c.id).where(was_read)) is not None

    def read():
        with database.transaction() as connection:
            poll_turns.ask_for_one(connection)
        until(lambda: _app(production).poll.look(threading.Event()) or done())

    return read


def leave(acme):
    acme.organization("Acme", members={"octocat": "active"})


@pytest.mark.story("callback")
def test_a_member_signs_in_and_a_stranger_does_not(come, acme):
    mona, _ = come("octocat")
    stranger, answer = come("newcomer")

    assert mona.session()["user"]["username"] == "octocat"
    assert answer.status_int == 403
    assert stranger.session() is None
    # Nothing was requested in the name of the person.
    assert acme.requests("/api/user/memberships/orgs") == []


def test_what_is_left_of_the_hour_is_measured(gate, make_production, acme, port):
    app = make_production(metrics__listen=f"127.0.0.1:{port}")
    # Its own thread would ask more meanwhile.
    _app(app).stop()
    gate.come(app, "octocat")

    app.registry.components.metrics._look(None)

    left = 5000 - acme.spent("Acme")
    assert value(scrape(port), "provider_questions_left", organization="acme") == left < 5000


def test_no_scope_is_asked_for(production):
    person = production_browser(production)
    leaving = person.get("/sign-in").forms[0].submit("choice", value="sign-in")

    query = parse_qs(urlsplit(person.follow_home(leaving).location).query)

    assert "scope" not in query


def test_the_address_is_read_by_the_permission_of_the_app(come, acme):
    mona, _ = come("octocat")
    assert mona.session()["user"]["email"] == "mona@example.com"

    acme.app(permissions={"members": "read"})
    hubot, _ = come("hubot")
    assert hubot.session()["user"]["emailVerified"] is False


def test_the_poll_confirms_whoever_signed_in(come, poll, production, turnable_clock, acme):
    mona, _ = come("octocat")
    for _ in range(5):
        turnable_clock.advance(hours=20)
        acme.advance(20 * 3600)
        poll()

    assert mona.session() is not None


def test_where_the_own_list_is_refused_the_groups_of_before_stay(come, acme, database):
    acme.organization("Acme", teams={"design": {"id": 74, "members": {"octocat": "active"}}})
    come("octocat")
    acme.fault("/api/user/teams", "forbidden")
    for login in ("octocat", "hubot"):
        come(login)

    stored = database.reader.execute(select(user.c.username, user.c.groups))
    assert dict(map(tuple, stored)) == {"octocat": ("acme", "acme/design"), "hubot": ("acme",)}


def test_without_the_poll_a_confirmation_is_due_in_time(come, turnable_clock):
    mona, _ = come("octocat")
    turnable_clock.advance(hours=25)

    assert mona.session() is None


@pytest.mark.attack("ADMISSION-left")
def test_whoever_left_is_signed_out_by_the_event(come, send, acme):
    hubot, _ = come("hubot")
    leave(acme)

    send("organization", provider_events.organization("member_removed"))

    until(lambda: hubot.session() is None)
    assert come("hubot")[1].status_int == 403


@pytest.mark.attack("ADMISSION-left")
def test_whoever_left_is_signed_out_by_the_poll(come, poll, acme):
    hubot, _ = come("hubot")
    leave(acme)

    poll()

    assert hubot.session() is None


def test_each_of_many_events_is_acted_upon(send, database):
    numbers = {str(number) for number in range(700, 720)}
    for number in numbers:
        person = {"login": f"person-{number}", "id": int(number)}
        send("organization", provider_events.organization("member_removed", person))

    until(lambda: set(database.reader.scalars(select(removed_account.c.id))) == numbers)


def test_an_event_that_another_process_left_behind_is_acted_upon(send, database):
    hint = asdict(Hint(organization="7", account_id="700", leaves=True))
    with database.transaction() as connection:
        stored_events.store(connection, "a body", first=hint, again=hint)

    # It has the service look at once.
    send("team", provider_events.team("edited"))

    until(lambda: database.reader.scalar(select(removed_account.c.id)) == "700")


def test_a_removal_in_the_middle_of_a_sign_in_lets_nobody_in(
    production, send, acme, database, monkeypatch
):
    provider = production.registry.components.identity_provider
    known = provider.profile

    def overtaken(code, verifier):
        profile = known(code, verifier)
        leave(acme)
        send("organization", provider_events.organization("member_removed"))
        until(lambda: database.reader.scalar(select(removed_account.c.id)) is not None)
        return profile

    monkeypatch.setattr(provider, "profile", overtaken)
    person = production_browser(production)
    leaving = person.get("/sign-in").forms[0].submit("choice", value="sign-in")
    back = acme.allow(person.follow_home(leaving).location, "hubot")
    person.follow_home(person.visit(back, expect_errors=True))

    assert person.session() is None
    assert database.reader.scalars(select(user.c.id)).all() == []


def test_a_provider_that_does_not_answer_lets_nobody_new_in(come, acme):
    acme.fault("/api/orgs/acme/memberships/octocat", "500")

    mona, _ = come("octocat")

    assert mona.session() is None


def test_an_app_that_is_not_installed_lets_nobody_in_and_says_so(come, acme):
    acme.organization("Acme", installation=None)

    mona, answer = come("octocat")

    assert answer.status_int == 403
    assert mona.session() is None
