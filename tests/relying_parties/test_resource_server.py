"""Apache with mod_auth_openidc as a resource server: it introspects every token that it gets."""

import json
import secrets

import pytest
import requests
from authlib.integrations.requests_client import OAuth2Session

from tests.helpers.ports import free_port
from tests.relying_parties.authlib_party import metadata_of
from tests.relying_parties.registration import OPAQUE, REDIRECT_URI, RESOURCE
from tests.services.apache import Apache, apache_folder  # noqa: F401  (a fixture)

VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
PAGE = '<p>Borrowed by <!--#echo var="REMOTE_USER" --></p>'
SITE = """
OIDCCryptoPassphrase "${CRYPTO_PASSPHRASE}"
OIDCOAuthClientID "${CLIENT_ID}"
OIDCOAuthClientSecret "${CLIENT_SECRET}"
OIDCOAuthServerMetadataURL "${AUTH_URL}/.well-known/oauth-authorization-server/api/auth"
<Location />
    AuthType oauth20
    Require valid-user
</Location>
"""


@pytest.fixture
def metadata(service):
    return metadata_of(service)


@pytest.fixture
def library(service, apache_folder):  # noqa: F811
    """The API's address; the command registers it with its name and its resource alone."""
    command = ["authservice-register", "--resource-server", "--name", "Library", "--json"]
    client = json.loads(service.command(*command, "--resource", OPAQUE))
    port = free_port()
    started = Apache(
        apache_folder,
        port,
        site=SITE,
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

    def issued(*resource):
        flags = ["--resource", *resource] if resource else []
        client = register("client_secret_basic", *flags)
        secret = client["client_secret"]
        party = OAuth2Session(client["client_id"], secret, redirect_uri=REDIRECT_URI)
        party.code_challenge_method = "S256"
        url, state = party.create_authorization_url(
            metadata["authorization_endpoint"],
            code_verifier=VERIFIER,
            scope="openid library:read books:read",
        )
        back = {"authorization_response": person.open(url), "state": state}
        tokens = party.fetch_token(metadata["token_endpoint"], code_verifier=VERIFIER, **back)
        return tokens["access_token"]

    return issued


def opened(library, token):
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    return requests.get(library, headers=headers, timeout=20)


@pytest.mark.requirement("RFC7662-2.2-2")
def test_a_token_for_it_opens_it(library, token_for):
    answer = opened(library, token_for(OPAQUE))

    assert answer.status_code == 200
    assert "Borrowed by local-developer" in answer.text


@pytest.mark.attack("TOKENS-resource")
def test_no_other_token_opens_it(subtests, library, token_for):
    for what, token in (
        ("none", None),
        ("for userinfo", token_for()),
        ("for another resource", token_for(RESOURCE)),
        ("unknown", secrets.token_hex(21)),
    ):
        with subtests.test(what=what):
            answer = opened(library, token)

            assert answer.status_code == 401
            assert "Borrowed" not in answer.text
