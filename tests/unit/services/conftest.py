"""Two people with their sessions, and two clients, in one transaction."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

from authservice.services import client_registration, sessions, users
from authservice.services.client_metadata import ClientMetadata
from authservice.services.users import Profile


@pytest.fixture
def connection(database):
    with database.transaction() as opened:
        yield opened


@dataclass
class People:
    """Ada and Bob, who have a session each, and the ids of the clients that they use."""

    ada: Any
    bob: Any
    client_id: str
    other_client_id: str


@pytest.fixture
def people(connection, turnable_clock):
    return People(
        ada=_session(connection, "ada"),
        bob=_session(connection, "bob"),
        client_id=_client(connection),
        other_client_id=_client(connection),
    )


def _session(connection, name):
    profile = Profile(
        provider_id="github",
        account_id=name,
        name=name.title(),
        email=f"{name}@example.com",
        email_verified=True,
        image=None,
    )
    user, _ = users.from_profile(connection, profile)
    return sessions.create(connection, user, timedelta(days=7))[0]


def _client(connection):
    metadata = ClientMetadata(name="App", redirect_uris=["https://app.example.com/cb"])
    return client_registration.register(connection, metadata)[0]
