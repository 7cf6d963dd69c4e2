"""Authlib, unmodified from PyPI, as a relying party over real HTTP."""

import pytest
import requests
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oidc.core import CodeIDToken
from authlib.oidc.discovery import OpenIDProviderMetadata, get_well_known_url
from joserfc import jwt
from joserfc.jwk import KeySet

from tests.relying_parties.registration import COMBINATIONS, REDIRECT_URI

SCOPE = "openid profile email offline_access"
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
NONCE = "n-0S6_WzA2Mj"
# RFC 9864 names the curve instead; the algorithm itself is sound.
pytestmark = pytest.mark.filterwarnings("ignore:EdDSA is deprecated via RFC 9864")


@pytest.fixture
def metadata(service):
    url = get_well_known_url(f"{service.url}/api/auth", external=True)
    found = OpenIDProviderMetadata(requests.get(url, timeout=20).json())
    assert found["issuer"] == f"{service.url}/api/auth"
    return found


@pytest.mark.parametrize(("method", "alg"), COMBINATIONS)
def test_signs_a_person_in_reads_who_it_is_refreshes_and_revokes(
    register, person, metadata, method, alg
):
    client = register(method, "--id-token-alg", alg)
    party = OAuth2Session(
        client["client_id"],
        client.get("client_secret"),
        token_endpoint_auth_method=method,
        revocation_endpoint_auth_method=method,
        scope=SCOPE,
        redirect_uri=REDIRECT_URI,
        code_challenge_method="S256",
    )
    url, state = party.create_authorization_url(
        metadata["authorization_endpoint"], code_verifier=VERIFIER, nonce=NONCE
    )

    tokens = party.fetch_token(
        metadata["token_endpoint"],
        authorization_response=person.open(url),
        state=state,
        code_verifier=VERIFIER,
    )

    claims = validated_id_token(metadata, client, tokens)
    assert claims["sub"] == "local-developer"
    assert claims["email"] == "local-developer@localhost.localdomain"
    info = party.get(metadata["userinfo_endpoint"]).json()
    assert (info["sub"], info["name"]) == ("local-developer", "Local Developer")
    renewed = party.refresh_token(metadata["token_endpoint"], tokens["refresh_token"])
    assert renewed["refresh_token"] != tokens["refresh_token"]
    assert renewed["access_token"] != tokens["access_token"]
    assert party.get(metadata["userinfo_endpoint"]).json() == info
    if method != "none":
        assert introspected(party, metadata, renewed["refresh_token"])["active"]
    answer = party.revoke_token(metadata["revocation_endpoint"], renewed["refresh_token"])
    assert answer.status_code == 200
    if method != "none":
        assert introspected(party, metadata, renewed["refresh_token"]) == {"active": False}
    with pytest.raises(OAuthError, match="invalid_grant"):
        party.refresh_token(metadata["token_endpoint"], renewed["refresh_token"])


def introspected(party, metadata, token):
    return party.introspect_token(metadata["introspection_endpoint"], token).json()


def validated_id_token(metadata, client, tokens):
    """Return the claims after every check that Authlib makes of an ID token."""
    keys = KeySet.import_key_set(requests.get(metadata["jwks_uri"], timeout=20).json())
    algorithms = [client["id_token_signed_response_alg"]]
    assert set(algorithms) <= set(metadata["id_token_signing_alg_values_supported"])
    decoded = jwt.decode(tokens["id_token"], keys, algorithms=algorithms)
    claims = CodeIDToken(
        decoded.claims,
        decoded.header,
        options={
            "iss": {"essential": True, "value": metadata["issuer"]},
            "aud": {"essential": True, "value": client["client_id"]},
        },
        params={
            "nonce": NONCE,
            "client_id": client["client_id"],
            "access_token": tokens["access_token"],
        },
    )
    claims.validate(leeway=5)
    return claims
