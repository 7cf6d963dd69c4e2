"""Apache with mod_auth_openidc, configured as its recipe says, introspects tokens for an API."""

import json
import secrets

import pytest
import requests
from authlib.integrations.requests_client import OAuth2Session

from tests.e2e.recipes import all_recipes
from tests.helpers.ports import free_port
from tests.helpers.remote_control import RemoteControl
from tests.relying_parties.authlib_party import metadata_of
from tests.relying_parties.registration import OPAQUE, REDIRECT_URI, RESOURCE
from tests.services.apache import Apache, apache_folder  # noqa: F401  (a fixture)

VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
PAGE = '<p>Files of <!--#echo var="REMOTE_USER" --></p>'


@pytest.fixture
def metadata(service):
    return metadata_of(service)


@pytest.fixture
def files(service, apache_folder):  # noqa: F811
    """The API's address; the command registers it with its name and its resource alone."""
    command = ["authservice-register", "--resource-server", "--name", "Files", "--json"]
    client = json.loads(service.command(*command, "--resource", OPAQUE))
    port = free_port()
    language, site = all_recipes()["api-apache"]
    assert language == "apache"
    started = Apache(
        apache_folder,
        port,
        site=site,
        page=PAGE,
        modules=["auth_openidc"],
        AUTH_URL=service.url,
        CLIENT_ID=client["client_id"],
        CLIENT_SECRET=client["client_secret"],
        CRYPTO_PASSPHRASE=secrets.token_hex(32),
    )
    yield f"http://localhost:{port}/"
    started.stop()


@pytest.fixture
def token_for(register, person, metadata):
    """Let the person give a client a token, for a resource or for userinfo."""

    def issued(*resource, scope="openid files:read notes:read"):
        flags = ["--resource", *resource] if resource else []
        client = register("client_secret_basic", *flags)
        secret = client["client_secret"]
        party = OAuth2Session(client["client_id"], secret, redirect_uri=REDIRECT_URI)
        party.code_challenge_method = "S256"
        url, state = party.create_authorization_url(
            metadata["authorization_endpoint"],
            code_verifier=VERIFIER,
            scope=scope,
            resource=resource,
        )
        back = {"authorization_response": person.open(url), "state": state}
        tokens = party.fetch_token(metadata["token_endpoint"], code_verifier=VERIFIER, **back)
        return tokens["access_token"]

    return issued


def opened(files, token):
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    return requests.get(files, headers=headers, timeout=20)


@pytest.mark.requirement("RFC7662-2.2-2")
def test_a_token_for_it_opens_it(files, token_for):
    answer = opened(files, token_for(OPAQUE))

    assert answer.status_code == 200
    assert "Files of local-developer" in answer.text


@pytest.mark.attack("TOKENS-resource")
def test_no_other_token_opens_it(subtests, files, token_for):
    for what, token in (
        ("none", None),
        ("for userinfo", token_for()),
        ("for another resource", token_for(RESOURCE)),
        ("unknown", secrets.token_hex(21)),
    ):
        with subtests.test(what=what):
            answer = opened(files, token)

            assert answer.status_code == 401
            assert "Files of" not in answer.text


def test_a_token_without_the_scope_does_not_open_it(files, token_for):
    answer = opened(files, token_for(OPAQUE, scope="openid"))

    assert answer.status_code == 403
    assert "Files of" not in answer.text


def test_a_token_opens_it_until_its_person_signs_out(service, files, token_for):
    token = token_for(OPAQUE)
    assert opened(files, token).status_code == 200

    RemoteControl(service).ask("DELETE", "persons/local-developer/sessions")

    assert opened(files, token).status_code == 401
