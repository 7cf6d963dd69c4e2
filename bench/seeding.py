"""A population of many signed-in people, written straight into a migrated database."""

import random

from sqlalchemy import Connection

from authservice.identity_provider.local_developer import LocalDeveloper
from authservice.services import client_registration
from authservice.services.client_metadata import ClientMetadata
from authservice.services.users import from_profile
from bench import bulk, people
from bench.deployment import REDIRECT_URI, Deployment
from bench.population import Client, Grant, Person, Population
from bench.session_cookies import SessionCookies

CLIENTS = 100
SAMPLE = 5000


def seed(deployment: Deployment, users: int) -> Population:
    """Write so many people, each with account, session, consent and tokens of one client.

    Returns the population of a random sample of them.
    """
    with bulk.filling(deployment.database_url, people.TABLES) as connection:
        clients = [_register(connection, number) for number in range(CLIENTS)]
        # Who signs in during the run has done so before: a first sign-in is another matter.
        from_profile(connection, LocalDeveloper("", "", "").profile("one-click", ""))
        bulk.insert_rows(
            connection,
            (
                row
                for number in range(users)
                for row in people.rows_of(number, _client_of(number, clients).client_id)
            ),
        )
    cookies = SessionCookies(deployment.environment)
    sample = random.sample(range(users), min(users, SAMPLE))
    return Population(
        deployment.host,
        [_person(number, _client_of(number, clients), cookies) for number in sample],
        [_grant(number, _client_of(number, clients)) for number in sample],
    )


def _register(connection: Connection, number: int) -> Client:
    metadata = ClientMetadata(name=f"Application {number}", redirect_uris=[REDIRECT_URI])
    client_id, secret = client_registration.register(connection, metadata)
    return Client(client_id, str(secret), REDIRECT_URI)


def _client_of(number: int, clients: list[Client]) -> Client:
    return clients[number % len(clients)]


def _person(number: int, client: Client, cookies: SessionCookies) -> Person:
    session_id, token = people.id_of("session", number), people.token_of("session", number)
    return Person(people.id_of("user", number), cookies.header(session_id, token), client)


def _grant(number: int, client: Client) -> Grant:
    access_token, refresh_token = (people.token_of(kind, number) for kind in ("access", "refresh"))
    return Grant(people.id_of("user", number), client, access_token, refresh_token)
