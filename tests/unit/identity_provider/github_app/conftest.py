"""The App of a service, which asks the stand-in over real HTTP."""

import itertools
import threading
from datetime import timedelta
from functools import cache

import pytest
from sqlalchemy import select

from authservice.identity_provider.github_app.confirmations import Confirmations
from authservice.identity_provider.github_app.github_app import GitHubApp
from authservice.identity_provider.github_app.provider_events import ProviderEvents
from authservice.models import removed_account, user
from authservice.services.admission import state
from authservice.services.people import users
from authservice.services.sessions import sessions
from authservice.settings import load_settings
from tests.helpers import github_app
from tests.helpers.github_app import MONA
from tests.helpers.profiles import profile
from tests.helpers.provider_sign_in import SignIn
from tests.unit.settings.loading import PRODUCTION_ENVIRON, PRODUCTION_INI

_BODIES = itertools.count()


class Service:
    """The App with the database of a service."""

    def __init__(self, database, settings, standin):
        self.database = database
        self.standin = standin
        self.settings = settings
        self.told = []
        self.app = GitHubApp(
            settings, settings.provider.app, database, lambda: self.told.append("clients")
        )
        self.confirmations = Confirmations(
            settings, database, self.app.memberships, lambda: self.told.append("clients")
        )
        state.apply(database, settings)

    def poll(self):
        """Read the lists, if it is time; tell whether they were read."""
        return self.app.poll.look(threading.Event())

    def hear(self, event, content, *, again=False, patience=30.0):
        """Take an event, and return when everything has been done about it."""
        if not again:
            self._body = f"body {next(_BODIES)}"
        events = self._events(patience)
        events.take(event, content, self._body)
        events.finish()

    def look(self):
        """Act upon the events that wait."""
        events = self._events(30.0)
        events.look()
        events.finish()

    def hear_while_ending(self, event, content):
        """Take an event in a process that begins with nothing any more."""
        events = self._events(30.0)
        events.stop()
        events.take(event, content, f"body {next(_BODIES)}")

    def _events(self, patience):
        return ProviderEvents(
            self.settings,
            self.database,
            self.app.memberships.installations,
            self.confirmations,
            lambda: self.told.append("lists"),
            patience=patience,
        )

    def groups(self, account_id=MONA, login="octocat"):
        """Return what the App alone is told of a person."""
        calls = self.app.memberships.installations.calls(10)
        return self.app.memberships.of_person(calls, account_id, login)

    def groups_at_sign_in(self, login="octocat"):
        """Return what a sign-in is told, in which the person asks too."""
        sign_in = SignIn(self.standin, app=self.settings.provider.app, source=self.app.memberships)
        return sign_in.profile(login).memberships

    def sign_in(self, account_id=MONA, **stored):
        """Store a person with a session, who need not be admitted by anything."""
        theirs = profile(account_id, "Somebody", email=f"{account_id}@example.com")
        with self.database.transaction() as connection:
            person, _ = users.from_profile(connection, theirs)
            if stored:
                connection.execute(user.update().where(user.c.id == person.id).values(stored))
            lifetime = self.settings.lifetimes.session
            device = {"ip_address": None, "user_agent": ""}
            session, _ = sessions.create(connection, person, lifetime, **device)
        return session

    def stored(self, session):
        return users.find(self.database.reader, session.user.id)

    def is_alive(self, session):
        return sessions.find_by_id(self.database.reader, session.id) is not None

    def removed(self):
        return set(self.database.reader.scalars(select(removed_account.c.id)))


@pytest.fixture
def standin(identity_provider_standin):
    github_app.register(identity_provider_standin)
    identity_provider_standin.organization(
        "Acme",
        id=7,
        installation=70,
        members={"octocat": "active", "hubot": "active"},
        teams={
            "Platform": {"slug": "platform", "id": 71, "members": {}},
            "oncall": {"id": 72, "parent": "platform", "members": {"octocat": "active"}},
        },
    )
    return identity_provider_standin


@pytest.fixture
def turnable_clock(turnable_clock, standin, monkeypatch):
    """The clock of the service; that of the provider goes with it."""
    advance = turnable_clock.advance

    def both(**duration):
        standin.advance(timedelta(**duration).total_seconds())
        advance(**duration)

    monkeypatch.setattr(turnable_clock, "advance", both)
    return turnable_clock


@cache
def _settings(ini, environ):
    """Return settings; to check the App's key takes longer than most of the tests."""
    return load_settings(PRODUCTION_INI | dict(ini), dict(environ))


@pytest.fixture
def make_service(database, standin):
    made = []

    def make(organizations="acme", **variables):
        environ = PRODUCTION_ENVIRON | github_app.environ()
        environ |= {"ADMISSION_EVERYONE": "", "ADMISSION_ORGANIZATIONS": organizations}
        settings = _settings(tuple(standin.ini.items()), tuple((environ | variables).items()))
        made.append(Service(database, settings, standin))
        return made[-1]

    yield make
    for service in made:
        service.app.stop()


@pytest.fixture
def service(make_service):
    return make_service()
