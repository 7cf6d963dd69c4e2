"""Client authentication against a stored client, told in headers and parameters."""

import base64

import pytest
from oauthlib.oauth2.rfc6749.errors import InvalidClientError, InvalidRequestError

from authservice.oauth.client_authentication import authenticate
from authservice.oauth.parameters import TOKEN, Parameters
from authservice.services.clients import client_registration
from authservice.services.clients.client_metadata import ClientMetadata


def basic(pair):
    return f"Basic {base64.b64encode(pair.encode()).decode()}"


@pytest.fixture
def clients(database):
    """Return the ids and the secret by which the tables below name the clients."""
    names = {}
    with database.begin() as transaction:
        for kind in ("confidential", "public"):
            registration = ClientMetadata(
                name=kind, redirect_uris=["https://a.example/cb"], public=kind == "public"
            )
            names[kind], secret = client_registration.register(transaction, registration)
            names["secret"] = names.get("secret") or secret
    return names


def attempt(database, clients, pair, form):
    header = None if pair is None else basic(pair.format(**clients))
    sent = [(name, value.format(**clients)) for name, value in form.items()]
    return authenticate(database.reader, header, Parameters.read(sent, TOKEN))


def test_who_shows_what_it_should_is_known(subtests, database, clients):
    for pair, form, client in (
        ("{confidential}:{secret}", {}, "confidential"),
        ("{confidential}:{secret}", {"client_id": "{confidential}"}, "confidential"),
        ("{confidential}:{secret}", {"client_id": ""}, "confidential"),
        (None, {"client_id": "{confidential}", "client_secret": "{secret}"}, "confidential"),
        (None, {"client_id": "{public}"}, "public"),
        (None, {"client_id": "{public}", "client_secret": ""}, "public"),
    ):
        with subtests.test(pair=pair, form=form, client=client):
            assert attempt(database, clients, pair, form).client_id == clients[client]


def test_who_does_not_is_an_invalid_client(subtests, database, clients):
    for pair, form in (
        (None, {}),
        (None, {"client_secret": "{secret}"}),
        (None, {"client_id": "{confidential}"}),
        (None, {"client_id": "{confidential}", "client_secret": "{secret}x"}),
        (None, {"client_id": "{public}", "client_secret": "{secret}"}),
        (None, {"client_id": "unknown", "client_secret": "{secret}"}),
        ("{confidential}:", {}),
        ("{confidential}", {}),
        ("{confidential}:{secret}:", {}),
        (":{secret}", {}),
        ("{public}:", {}),
        ("{public}:{secret}", {}),
        ("{confidential}%00:{secret}", {}),
    ):
        with subtests.test(pair=pair, form=form):
            with pytest.raises(InvalidClientError) as refused:
                attempt(database, clients, pair, form)

            assert refused.value.description
            assert clients["secret"] not in str(refused.value)


@pytest.mark.requirement("RFC6749-2.3-1")
def test_two_mechanisms_or_two_clients_are_an_invalid_request(subtests, database, clients):
    for form in (
        {"client_secret": "{secret}"},
        {"client_id": "{confidential}", "client_secret": "{secret}"},
        {"client_id": "{public}"},
    ):
        with subtests.test(form=form), pytest.raises(InvalidRequestError):
            attempt(database, clients, "{confidential}:{secret}", form)


def test_a_pair_with_characters_that_are_no_base64_is_not_read(subtests, database, clients):
    for junk in ("*", "\n", "="):
        with subtests.test(junk=junk):
            header = basic("{confidential}:{secret}".format(**clients))

            with pytest.raises(InvalidClientError):
                authenticate(
                    database.reader, f"{header[:10]}{junk}{header[10:]}", Parameters.read([], TOKEN)
                )
