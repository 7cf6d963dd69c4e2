"""What a relying party with Authlib finds out: where the service is, and what an ID token says."""

import requests
from authlib.oidc.core import CodeIDToken
from authlib.oidc.discovery import OpenIDProviderMetadata, get_well_known_url
from joserfc import jwt
from joserfc.jwk import KeySet

NONCE = "n-0S6_WzA2Mj"


def metadata_of(service):
    """Return the metadata that the library accepts."""
    url = get_well_known_url(f"{service.url}/api/auth", external=True)
    found = OpenIDProviderMetadata(requests.get(url, timeout=20).json())
    assert found["issuer"] == f"{service.url}/api/auth"
    return found


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
