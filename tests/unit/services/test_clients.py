"""Clients: created for a signed-in user only, found unless they are disabled."""

from datetime import timedelta

import pytest
from sqlalchemy import func, select, update

from authservice.models import oauth_client
from authservice.services.clients import client_registration, clients
from authservice.services.clients.client_metadata import ClientMetadata
from authservice.services.people import users
from authservice.services.sessions import sessions
from tests.helpers.profiles import profile

GOOD = {"name": "App", "redirect_uris": ["https://app.example.com/cb"]}


@pytest.fixture
def owner(connection):
    user, _ = users.from_profile(connection, profile())
    return sessions.create(connection, user, timedelta(minutes=1))[0]


def test_a_client_belongs_to_whoever_created_it(transaction, connection, owner):
    client_id, secret = client_registration.create_client(
        transaction, ClientMetadata(**GOOD), owner
    )

    assert connection.scalar(select(oauth_client.c.user_id)) == owner.user.id
    found = clients.find(connection, client_id)
    assert found.has_secret(secret)
    assert not found.has_secret(secret[:-1])
    assert not found.has_secret("")


def test_a_registered_client_belongs_to_nobody(transaction, connection):
    client_registration.register(transaction, ClientMetadata(**GOOD))

    assert connection.scalar(select(oauth_client.c.user_id)) is None


def test_what_may_not_be_registered_is_not_created_by_any_way(
    subtests, transaction, connection, owner
):
    for changes in (
        {"name": " "},
        {"name": "a\nb"},
        {"redirect_uris": []},
        {"redirect_uris": ["http://app.example.com/"]},
        {"redirect_uris": ["https://a.example/", "https://a.example/"]},
        {"post_logout_redirect_uris": ["x"]},
    ):
        with subtests.test(changes=changes):
            with pytest.raises(ValueError, match=r"name|URI"):
                client_registration.create_client(
                    transaction, ClientMetadata(**(GOOD | changes)), owner
                )

            assert connection.scalar(select(func.count()).select_from(oauth_client)) == 0


def test_a_disabled_client_is_not_found(transaction, connection):
    client_id, _ = client_registration.register(transaction, ClientMetadata(**GOOD))
    connection.execute(update(oauth_client).values(disabled=True))

    assert clients.find(connection, client_id) is None
    assert clients.find(connection, "unknown") is None


def test_a_public_client_has_no_secret_that_fits(transaction, connection):
    registration = ClientMetadata(**GOOD, public=True)
    client_id, secret = client_registration.register(transaction, registration)

    assert secret is None
    assert not clients.find(connection, client_id).has_secret("")


@pytest.mark.attack("RFC6819-4.3.4")
def test_a_secret_is_stored_as_a_digest_that_does_not_fit_itself(transaction, connection):
    client_id, secret = client_registration.register(transaction, ClientMetadata(**GOOD))
    found = clients.find(connection, client_id)

    assert found.client_secret != secret
    assert not found.has_secret(found.client_secret)
