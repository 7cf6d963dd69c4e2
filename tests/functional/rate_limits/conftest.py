"""The service in production, which limits how often it is called."""

import pytest

from authservice.services.clients import client_registration
from authservice.services.clients.client_metadata import ClientMetadata
from tests.helpers.production import production_app, production_browser


@pytest.fixture
def app(make_app, monkeypatch):
    return production_app(make_app, monkeypatch)


@pytest.fixture
def browser(app):
    return production_browser(app)


@pytest.fixture
def register(database):
    def run(**changes):
        wanted = {"name": "Example App", "redirect_uris": ["https://app.example.com/callback"]}
        with database.begin() as transaction:
            return client_registration.register(transaction, ClientMetadata(**wanted | changes))

    return run
