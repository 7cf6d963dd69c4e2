"""The service in production, which limits how often it is called."""

import pytest

from tests.helpers.production import production_app, production_browser
from tests.helpers.relying_party import RelyingParty


@pytest.fixture
def app(make_app, monkeypatch):
    return production_app(make_app, monkeypatch)


@pytest.fixture
def browser(app):
    return production_browser(app)


@pytest.fixture
def register(app, database):
    return lambda **changes: RelyingParty.registered(app, database, **changes)
