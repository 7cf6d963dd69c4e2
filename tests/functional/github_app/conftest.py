"""A service in production with a GitHub App, whose organization lets Mona and Hubot in."""

import pytest

from tests.helpers import github_app
from tests.helpers.production import production_app, production_browser


@pytest.fixture
def acme(standin):
    """The provider, where the App is installed in Acme."""
    github_app.register(standin)
    members = {"octocat": "active", "hubot": "active"}
    standin.organization("Acme", id=7, installation=70, members=members)
    return standin


@pytest.fixture
def make_production(make_app, monkeypatch, acme):
    def make(**variables):
        changes = {name.replace(".", "__"): value for name, value in acme.ini.items()}
        for name, value in (github_app.environ() | variables).items():
            monkeypatch.setenv(name, value)
        return production_app(make_app, monkeypatch, admission__organizations="acme", **changes)

    return make


@pytest.fixture
def production(make_production):
    return make_production()


@pytest.fixture
def send(production):
    """Send an event as the provider does, signed unless other headers are given."""
    sender = production_browser(production)

    def send(event, content, status=202, **further):
        body, headers = github_app.signed(event, content)
        headers = {
            name: value
            for name, value in (headers | further.pop("headers", {})).items()
            if value is not None
        }
        return sender.post(github_app.WEBHOOK, body, headers, status=status, **further)

    return send


@pytest.fixture
def come(production, acme):
    """Sign in with an account, in a browser of its own; return the browser and the last answer."""

    def sign_in(login):
        person = production_browser(production)
        leaving = person.get("/sign-in").forms[0].submit("choice", value="sign-in")
        back = acme.allow(person.follow_home(leaving).location, login)
        return person, person.follow_home(person.visit(back, expect_errors=True))

    return sign_in
