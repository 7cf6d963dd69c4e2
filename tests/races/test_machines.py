"""A machine is disabled or deleted while it gets a token: none is answered after that."""

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest
from sqlalchemy import func, select

from authservice.models import oauth_access_token, oauth_refresh_token
from authservice.oauth.oauth_request import TOKEN, OAuthRequest
from authservice.oauth.server import server
from authservice.services.clients import client_administration, clients
from tests.helpers.lock_waits import wait_until_blocked
from tests.helpers.relying_party import RelyingParty
from tests.helpers.resource_file import resource_file
from tests.helpers.server_context import server_context
from tests.helpers.token_states import INACTIVE, told

NOTES = "https://notes.example.com"
GRANT = {"grant_type": "client_credentials"}


@pytest.fixture
def app(make_app, tmp_path):
    return make_app(auth__resources=resource_file(tmp_path, NOTES))


@pytest.fixture
def registered(app, database):
    def registered(grant_types):
        kind = {"redirect_uris": (), "resources": [NOTES], "grant_types": grant_types}
        return RelyingParty.registered(app, database, **kind)

    return registered


@pytest.fixture
def api(registered):
    return registered(clients.RESOURCE_SERVER)


@pytest.fixture
def machine(registered):
    return registered(clients.MACHINE)


def disable(transaction, row):
    client_administration.set_disabled(transaction, row, disabled=True)


def delete(transaction, row):
    client_administration.remove(transaction, row)


@pytest.fixture
def change(database, machine):
    def change(taking_back):
        with database.begin() as transaction:
            change_in(transaction, machine, taking_back)

    return change


def change_in(transaction, machine, taking_back):
    row = client_administration.find_to_change(transaction.connection, machine.client_id)
    taking_back(transaction, row)


@pytest.fixture
def answer(app, database, machine):
    """Return the answer to a token request that begins its transaction by calling a function."""

    def answer(begin):
        form = GRANT | {"client_id": machine.client_id, "client_secret": machine.client_secret}
        context = server_context(app.registry.components, database, begin)
        request = OAuthRequest.read(TOKEN, context, None, form.items())
        return server.create_token_response(request)

    return answer


@pytest.mark.parametrize("taking_back", [disable, delete])
def test_a_change_after_all_was_read_counts(database, answer, change, taking_back):
    with ExitStack() as stack:

        def begin():
            change(taking_back)
            return stack.enter_context(database.begin())

        refused = answer(begin)

    assert (refused.status, json.loads(refused.body)["error"]) == (401, "invalid_client")
    for table in (oauth_access_token, oauth_refresh_token):
        assert database.reader.scalar(select(func.count()).select_from(table)) == 0


# On PostgreSQL both transactions are open at once, and the second one waits for the first.


@pytest.mark.engines("postgresql")
@pytest.mark.parametrize("taking_back", [disable, delete])
def test_a_change_that_is_being_made_is_waited_for(database, machine, taking_back):
    with ThreadPoolExecutor(1) as other:
        with database.begin() as transaction:
            change_in(transaction, machine, taking_back)
            issuing = other.submit(machine.token_request, GRANT)
            wait_until_blocked(database, issuing)
        refused = issuing.result()

    assert (refused.status_int, refused.json["error"]) == (401, "invalid_client")


@pytest.mark.engines("postgresql")
@pytest.mark.parametrize("taking_back", [disable, delete])
def test_a_change_waits_for_the_token_that_is_being_issued(
    database, api, answer, change, taking_back
):
    with ThreadPoolExecutor(1) as other:
        with database.begin() as transaction:
            issued = answer(lambda: transaction)
            changing = other.submit(change, taking_back)
            wait_until_blocked(database, changing)
        changing.result()

    assert issued.status == 200
    assert told(api, json.loads(issued.body)["access_token"]) == INACTIVE
