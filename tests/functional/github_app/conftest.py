"""A service in production with a GitHub App, whose organization lets Mona and Hubot in."""

from functools import partial

import pytest

from tests.helpers import github_app
from tests.helpers.admission import Gate
from tests.helpers.production import production_browser


@pytest.fixture
def acme(standin):
    """The provider, where the App is installed in Acme."""
    github_app.register(standin)
    members = {"octocat": "active", "hubot": "active"}
    standin.organization("Acme", id=7, installation=70, members=members)
    return standin


@pytest.fixture
def gate(make_app, monkeypatch, acme):
    return Gate(make_app, monkeypatch, acme)


@pytest.fixture
def make_production(gate, monkeypatch):
    def make(variables=None, **ini):
        for name, value in (github_app.environ() | (variables or {})).items():
            monkeypatch.setenv(name, value)
        return gate.serves(admission__organizations="acme", **ini)

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
def come(gate, production):
    """Sign in with an account, in a browser of its own; return the browser and the last answer."""
    return partial(gate.come, production)
