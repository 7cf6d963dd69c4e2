"""Signing keys: made, encrypted for storage, opened again, and published as JWK.

The private half is stored encrypted with a key derived from the server secret.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from jwcrypto.jwk import JWK

from authservice.crypto.server_secret import MadeWith, ServerSecret

# What a new key for each of the algorithms is.
_PARAMETERS: dict[str, dict[str, Any]] = {
    "RS256": {"kty": "RSA", "size": 2048},
    "ES256": {"kty": "EC", "crv": "P-256"},
    "EdDSA": {"kty": "OKP", "crv": "Ed25519"},
}


class SigningKey:
    """A private key, parsed once and ready to sign, with its id and algorithm."""

    def __init__(self, jwk: JWK) -> None:
        self.jwk = jwk
        self.kid: str = jwk["kid"]
        self.alg: str = jwk["alg"]


def generate(alg: str, kid: str) -> SigningKey:
    """Return a new key for an algorithm."""
    return SigningKey(JWK.generate(kid=kid, alg=alg, use="sig", **_PARAMETERS[alg]))


def public_jwk(key: SigningKey) -> dict[str, Any]:
    """Return the public half as the members of a JWK (RFC 7517)."""
    exported: dict[str, Any] = key.jwk.export_public(as_dict=True)
    return exported


def verification_keys(public_jwks: Iterable[dict[str, Any]]) -> Mapping[str, JWK]:
    """Return public keys parsed and ready to verify, by key id."""
    return {members["kid"]: JWK(**members) for members in public_jwks}


def encrypt_private_key(key: SigningKey, secret: ServerSecret) -> str:
    """Return the private half for storage, bound to its key id."""
    return secret.encrypt(_purpose(key.kid), key.jwk.export_private())


def decrypt_private_key(kid: str, stored: str, secret: ServerSecret) -> SigningKey | None:
    """Return the key, or None when it was stored under another server secret."""
    plain = secret.decrypt(_purpose(kid), stored)
    if plain is None:
        return None
    jwk = JWK(**json.loads(plain))
    # It is one that we made, as its encryption has shown. To test its primes again would delay
    # no matter who is the first to get something signed.
    jwk.unsafe_skip_rsa_key_validation = True
    return SigningKey(jwk)


def encrypted_with(kid: str, stored: str, secret: ServerSecret) -> MadeWith | None:
    """Return which secret a stored key was encrypted with, or None when it was neither."""
    return secret.made_with(_purpose(kid), stored)


def _purpose(kid: str) -> str:
    return f"signing key {kid}"
