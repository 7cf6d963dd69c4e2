"""What is done for one person costs the same however many others there are.

SQLite counts the steps of its virtual machine. A statement that walks through the rows of other
people takes more of them the more people there are.
"""

from datetime import timedelta

import pytest

from authservice import clock
from authservice.crypto.server_secret import ServerSecret
from authservice.services.clients import client_registration, clients
from authservice.services.clients.client_metadata import ClientMetadata
from authservice.services.people import consents, users
from authservice.services.sessions import logout_notices, sessions
from authservice.services.tokens import access_tokens, authorization_codes, refresh_tokens
from tools.bench.databases.bulk import insert_rows
from tools.bench.people.numbered import id_of, rows_of, token_of

pytestmark = pytest.mark.engines("sqlite")
FEW = 10
MANY = 1000
PERSON = 3
# What notes events takes the transaction.
NOTING = {sessions.end, consents.grant}


@pytest.fixture
def client_id(database):
    with database.begin() as transaction:
        metadata = ClientMetadata(name="Popular", redirect_uris=["https://app.example.com/"])
        return client_registration.register(transaction, metadata)[0]


@pytest.fixture
def people(database, client_id):
    """Return what adds people who are signed in and have allowed the one client everything."""

    def add(numbers):
        with database.transaction() as connection:
            insert_rows(connection, (row for n in numbers for row in rows_of(n, client_id)))

    return add


def steps_of(database, ask, *arguments):
    """Return how many steps a function takes in a transaction, which is rolled back."""
    steps = 0

    def step():
        nonlocal steps
        steps += 1

    with database.begin(dry_run=True) as transaction:
        raw = transaction.connection.connection.dbapi_connection
        raw.set_progress_handler(step, 1)
        ask(transaction if ask in NOTING else transaction.connection, *arguments)
        raw.set_progress_handler(None, 1)
    return steps


def calls(client_id):
    user_id = id_of("user", PERSON)
    code_id = id_of("code", PERSON)
    an_hour_ago = clock.now() - timedelta(hours=1)
    return {
        "session": (sessions.find, token_of("session", PERSON)),
        "sessions of a person": (sessions.of_user, user_id),
        "end of a session": (sessions.end, [id_of("session", PERSON)]),
        "access token": (access_tokens.find, token_of("access", PERSON)),
        "refresh token": (
            refresh_tokens.find,
            ServerSecret(b"s" * 32),
            token_of("refresh", PERSON),
        ),
        "end of a family": (refresh_tokens.revoke_family, id_of("refresh", PERSON)),
        "end of a code's tokens": (refresh_tokens.revoke_of_code, code_id),
        "end of a person's tokens": (refresh_tokens.revoke_of_user, user_id),
        "end of tokens at a client": (refresh_tokens.revoke_of_user, user_id, client_id),
        "authorization code": (authorization_codes.find, "unknown"),
        "consent": (consents.find, client_id, user_id),
        "consents of a person": (consents.of_user, user_id),
        "granting consent": (consents.grant, client_id, user_id, ["openid"]),
        "client": (clients.find, client_id),
        "user": (users.find, user_id),
        "sessions to be ended": (sessions.expired_with_participants, an_hour_ago),
        "logout notice": (logout_notices.next_due, {}, ()),
    }


def test_no_statement_walks_through_other_people(database, client_id, people):
    people(range(FEW))
    few = {name: steps_of(database, *ask) for name, ask in calls(client_id).items()}
    people(range(FEW, MANY))
    many = {name: steps_of(database, *ask) for name, ask in calls(client_id).items()}

    assert all(few.values())
    dearer = {name: (few[name], many[name]) for name in few if many[name] > 1.5 * few[name]}
    assert dearer == {}
