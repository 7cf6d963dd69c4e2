"""Clients that prove themselves with a private key: their keys, and the assertions they make."""

import json
from secrets import token_urlsafe

from jwcrypto.jwk import JWK
from jwcrypto.jws import JWS

from authservice import clock
from tests.helpers.published_keys import ISSUER

ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
OF_KIND = {
    "RS256": {"kty": "RSA", "size": 2048},
    "PS256": {"kty": "RSA", "size": 2048},
    "ES256": {"kty": "EC", "crv": "P-256"},
    "EdDSA": {"kty": "OKP", "crv": "Ed25519"},
    "Ed25519": {"kty": "OKP", "crv": "Ed25519"},
}


def new_key(alg="EdDSA", kid=None):
    """Return a new private key for an algorithm."""
    return JWK.generate(**OF_KIND[alg], **{"kid": kid} if kid else {})


def key_set(*keys):
    """Return the public halves as a JSON Web Key Set."""
    return {"keys": [key.export_public(as_dict=True) for key in keys]}


def claims_of(client_id, **changes):
    """Return what an assertion says; None leaves a claim out."""
    now = int(clock.now().timestamp())
    claims = {
        "iss": client_id,
        "sub": client_id,
        "aud": ISSUER,
        "jti": token_urlsafe(),
        "iat": now,
        "exp": now + 60,
    }
    return {name: value for name, value in (claims | changes).items() if value is not None}


def signed(claims, key, alg="EdDSA", **header):
    """Return claims, or any text, signed as a JWT; None leaves a member of the header out."""
    members = {"alg": alg, "kid": key.get("kid")} | header
    content = claims if isinstance(claims, str) else json.dumps(claims)
    jws = JWS(content)
    jws.allowed_algs = [alg]
    protected = {name: value for name, value in members.items() if value is not None}
    jws.add_signature(key, alg, json.dumps(protected))
    return jws.serialize(compact=True)


def form_of(assertion):
    """Return the parameters that an assertion is sent as."""
    return {"client_assertion_type": ASSERTION_TYPE, "client_assertion": assertion}
