"""A population of many signed-in people, written straight into a migrated database."""

import random

from authservice.database.transaction import Transaction
from authservice.local_mode.persons.person import local_developer
from authservice.services.clients import client_registration
from authservice.services.clients.client_metadata import ClientMetadata
from authservice.services.clients.clients import MACHINE
from authservice.services.people.users import from_profile
from tools.bench.databases import bulk
from tools.bench.people import numbered
from tools.bench.people.population import Client, Grant, Person, Population
from tools.bench.people.session_cookies import SessionCookies
from tools.bench.service.deployment import REDIRECT_URI, Deployment
from tools.bench.service.servers import RESOURCE

CLIENTS = 100
SAMPLE = 5000


def seed(deployment: Deployment, users: int) -> Population:
    """Write so many people, each with account, session, consent and tokens of one client.

    Returns the population of a random sample of them.
    """
    with bulk.filling(deployment.database_url, numbered.TABLES) as transaction:
        connection = transaction.connection
        clients = [_register(transaction, number) for number in range(CLIENTS)]
        machine = _register_machine(transaction)
        # Who signs in during the run has done so before: a first sign-in is another matter.
        from_profile(connection, local_developer("").profile)
        bulk.insert_rows(
            connection,
            (
                row
                for number in range(users)
                for row in numbered.rows_of(number, _client_of(number, clients).client_id)
            ),
        )
    cookies = SessionCookies(deployment.environment)
    sample = random.sample(range(users), min(users, SAMPLE))
    return Population(
        deployment.host,
        [_person(number, _client_of(number, clients), cookies) for number in sample],
        [_grant(number, _client_of(number, clients)) for number in sample],
        machine,
    )


def _register(transaction: Transaction, number: int) -> Client:
    metadata = ClientMetadata(name=f"Application {number}", redirect_uris=[REDIRECT_URI])
    client_id, secret = client_registration.register(transaction, metadata)
    return Client(client_id, str(secret), REDIRECT_URI)


def _register_machine(transaction: Transaction) -> Client:
    metadata = ClientMetadata(name="Machine", resources=[RESOURCE], grant_types=MACHINE)
    client_id, secret = client_registration.register(transaction, metadata)
    return Client(client_id, str(secret))


def _client_of(number: int, clients: list[Client]) -> Client:
    return clients[number % len(clients)]


def _person(number: int, client: Client, cookies: SessionCookies) -> Person:
    session_id, token = numbered.id_of("session", number), numbered.token_of("session", number)
    return Person(numbered.id_of("user", number), cookies.header(session_id, token), client)


def _grant(number: int, client: Client) -> Grant:
    access_token, refresh_token = (
        numbered.token_of(kind, number) for kind in ("access", "refresh")
    )
    return Grant(numbered.id_of("user", number), client, access_token, refresh_token)
