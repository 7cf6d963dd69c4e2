"""Authlib, unmodified from PyPI, as a relying party over real HTTP."""

import pytest
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session

from tests.relying_parties.authlib_party import (
    NONCE,
    credentials_of,
    metadata_of,
    validated_id_token,
)
from tests.relying_parties.registration import COMBINATIONS, REDIRECT_URI, WITH_KEY

SCOPE = "openid profile email offline_access"
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
# RFC 9864 names the curve instead; the algorithm itself is sound.
pytestmark = pytest.mark.filterwarnings("ignore:EdDSA is deprecated via RFC 9864")


@pytest.fixture
def metadata(service):
    return metadata_of(service)


@pytest.mark.parametrize(("method", "alg"), [*COMBINATIONS, WITH_KEY])
def test_signs_a_person_in_reads_who_it_is_refreshes_and_revokes(
    register, person, metadata, method, alg
):
    client = register(method, "--id-token-alg", alg)
    secret_or_key, proof = credentials_of(client, metadata)
    party = OAuth2Session(
        client["client_id"],
        secret_or_key,
        token_endpoint_auth_method=proof,
        revocation_endpoint_auth_method=proof,
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
