"""What a relying party with Authlib finds out: where the service is, and what an ID token says."""

import requests
from authlib.oauth2.rfc7523 import PrivateKeyJWT, private_key_jwt_sign
from authlib.oidc.core import CodeIDToken
from authlib.oidc.discovery import OpenIDProviderMetadata, get_well_known_url
from joserfc import jwt
from joserfc.jwk import KeySet, import_key

NONCE = "n-0S6_WzA2Mj"


class WithKey(PrivateKeyJWT):
    """The library's ``private_key_jwt``, by the rules of the service."""

    def __init__(self, metadata, alg):
        super().__init__(alg=alg)
        self._issuer = metadata["issuer"]

    def sign(self, auth, token_endpoint):
        key = auth.client_secret
        header = {"kid": key.kid} if key.kid else {}
        return private_key_jwt_sign(
            key, auth.client_id, self._issuer, self.alg, header=header, expires_in=60
        )


def credentials_of(client, metadata):
    """Return what a session takes in place of a secret, and how it proves itself with that."""
    private = client.get("private_key")
    if private is None:
        return client.get("client_secret"), client["token_endpoint_auth_method"]
    return import_key(private), WithKey(metadata, private["alg"])


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
