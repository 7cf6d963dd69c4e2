"""Two people with their sessions, and two clients, in one transaction."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

from authservice.services.clients import client_registration
from authservice.services.clients.client_metadata import ClientMetadata
from authservice.services.people import users
from authservice.services.sessions import sessions
from tests.helpers.profiles import profile
from tests.helpers.published_keys import clients_of_all_algs  # noqa: F401  (fixture)


@pytest.fixture
def transaction(database):
    with database.begin() as begun:
        yield begun


@pytest.fixture
def connection(transaction):
    return transaction.connection


@dataclass
class People:
    """Ada and Bob, who have a session each, and the ids of the clients that they use."""

    ada: Any
    bob: Any
    client_id: str
    other_client_id: str


@pytest.fixture
def people(transaction, connection, turnable_clock):
    return People(
        ada=_session(connection, "ada"),
        bob=_session(connection, "bob"),
        client_id=_client(transaction),
        other_client_id=_client(transaction),
    )


def _session(connection, name):
    theirs = profile(name, name.title(), email=f"{name}@example.com")
    user, _ = users.from_profile(connection, theirs)
    return sessions.create(connection, user, timedelta(days=7))[0]


def _client(transaction):
    metadata = ClientMetadata(name="App", redirect_uris=["https://app.example.com/cb"])
    return client_registration.register(transaction, metadata)[0]
