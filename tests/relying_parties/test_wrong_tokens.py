"""Tokens that the control API of local mode makes wrong: relying parties refuse each of them."""

import json
from itertools import product

import pytest
import requests
from authlib.integrations.base_client import OAuthError
from cryptojwt.exception import IssuerNotFound, JWKESTException
from idpyoidc.exception import OidcMsgError
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from authservice import clock
from tests.e2e.person import Person
from tests.helpers.logout_receiver import LogoutReceiver
from tests.helpers.remote_control import RemoteControl
from tests.relying_parties.authlib_party import NONCE, metadata_of, validated_id_token
from tests.relying_parties.idpyoidc_party import IdpyoidcParty
from tests.relying_parties.registration import REDIRECT_URI, RESOURCE

DEVELOPER = "local-developer"
SIGNATURES = [{"sign": sign} for sign in ("unknown", "none", "broken")]
LONG_AGO = 1_000_000_000
WRONG_ID_TOKENS = [
    *SIGNATURES,
    {"set": {"iss": "https://evil.example.com"}},
    {"set": {"aud": "another-client"}},
    {"set": {"exp": LONG_AGO}},
    {"set": {"nonce": "another"}},
    {"remove": ["iss"]},
    {"remove": ["sub"]},
    {"remove": ["aud"]},
    {"remove": ["exp"]},
    {"remove": ["iat"]},
]
WRONG_LOGOUT_TOKENS = [
    *SIGNATURES,
    {"set": {"iss": "https://evil.example.com"}},
    {"set": {"aud": "another-client"}},
    {"set": {"nonce": "n"}},
    {"set": {"events": {"http://schemas.openid.net/event/another": {}}}},
    {"remove": ["events"]},
    {"remove": ["iss"]},
    {"remove": ["aud"]},
]
WRONG_JWTS = [
    *SIGNATURES,
    {"set": {"iss": "https://evil.example.com"}},
    {"set": {"aud": "https://another.example.com"}},
    {"set": {"exp": LONG_AGO}},
    {"remove": ["exp"]},
    {"remove": ["aud"]},
]


@pytest.fixture(scope="module")
def person(service):
    """Someone who has signed in."""
    signed_in = Person(service.url)
    signed_in.open(f"{service.url}/sign-in")
    return signed_in


@pytest.fixture(scope="module")
def receiver():
    started = LogoutReceiver()
    yield started
    started.close()


@pytest.fixture(scope="module")
def client(service, receiver):
    """One that has tokens for a resource, and hears of sign-outs."""
    command = ["authservice-register", "--name", "Example App", "--json", "--resource", RESOURCE]
    uris = ["--redirect-uri", REDIRECT_URI, "--backchannel-logout-uri", receiver.uri]
    registered = json.loads(service.command(*command, *uris))
    return registered | {"token_endpoint_auth_method": "client_secret_basic"}


@pytest.fixture(scope="module")
def token(service, person, client):
    """Have a token of the person made for the client."""
    control = RemoteControl(service)
    wanted = {"person": DEVELOPER, "client_id": client["client_id"]}

    def make(kind, **changes):
        return control.post("tokens", wanted | {"kind": kind} | changes)["token"]

    return make


@pytest.fixture(scope="module")
def metadata(service):
    return metadata_of(service)


def with_nonce(changes):
    return changes | {"set": {"nonce": NONCE} | changes.get("set", {})}


def test_authlib_takes_an_id_token_that_is_right(client, metadata, token):
    found = token("id_token", **with_nonce({}))

    assert _validated(metadata, client, found)["sub"] == DEVELOPER


def test_authlib_refuses_an_id_token_that_is_wrong(subtests, client, metadata, token):
    for changes in WRONG_ID_TOKENS:
        with subtests.test(changes=changes):
            wrong = token("id_token", **with_nonce(changes))

            with pytest.raises((JoseError, OAuthError, ValueError)):
                _validated(metadata, client, wrong)


def _validated(metadata, client, found):
    return validated_id_token(metadata, client, {"id_token": found, "access_token": "of no use"})


@pytest.fixture(scope="module")
def told(service, client, person):
    """A relying party with idpyoidc, and its sign-in."""
    party = IdpyoidcParty(service, client, person)
    return party, party.sign_in()["state"]


def test_idpyoidc_takes_a_logout_token_that_is_right(told, token):
    party, state = told

    assert party.told(f"logout_token={token('logout_token')}") == state


def test_idpyoidc_refuses_a_logout_token_that_is_wrong(subtests, told, token):
    party, _ = told
    for changes in WRONG_LOGOUT_TOKENS:
        with subtests.test(changes=changes):
            wrong = token("logout_token", **changes)

            with pytest.raises((IssuerNotFound, JWKESTException, OidcMsgError, ValueError)):
                party.told(f"logout_token={wrong}")


def verified(service, found, issuer, audience):
    """Return the claims as a back end with joserfc reads them."""
    published = requests.get(f"{service.url}/api/auth/jwks", timeout=20).json()
    decoded = jwt.decode(found, KeySet.import_key_set(published), algorithms=["RS256"])
    essential = {"essential": True}
    jwt.JWTClaimsRegistry(
        now=int(clock.now().timestamp()),
        iss={"essential": True, "value": issuer},
        aud={"essential": True, "value": audience},
        exp=essential,
    ).validate(decoded.claims)
    return decoded.claims


def of_session(service, found):
    return verified(service, found, service.url, service.url)


def of_resource(service, found):
    return verified(service, found, f"{service.url}/api/auth", RESOURCE)


BACK_ENDS = {"session_jwt": of_session, "access_token": of_resource}


def test_a_back_end_takes_what_is_right(subtests, service, token):
    for kind, read in BACK_ENDS.items():
        with subtests.test(kind=kind):
            assert read(service, token(kind))["sub"] == DEVELOPER


def test_a_back_end_refuses_what_is_wrong(subtests, service, token):
    for (kind, read), changes in product(BACK_ENDS.items(), WRONG_JWTS):
        with subtests.test(kind=kind, changes=changes):
            wrong = token(kind, **changes)

            with pytest.raises((JoseError, ValueError)):
                read(service, wrong)
