"""ID tokens as a relying party checks them: with the published keys and another library."""

import base64
import hashlib

from joserfc import jwt
from joserfc.jwk import KeySet

ISSUER = "http://localhost:37960/api/auth"
JWKS = "/api/auth/jwks"


def verified(token, http):
    """Return header and claims of a JWT whose signature a published key verifies."""
    keys = KeySet.import_key_set(http.get(JWKS).json)
    found = jwt.decode(token, keys, algorithms=["RS256"])
    return found.header, found.claims


def at_hash_of(access_token):
    """Return the left half of a token's SHA-256 (OIDC Core, 3.1.3.6)."""
    half = hashlib.sha256(access_token.encode()).digest()[:16]
    return base64.urlsafe_b64encode(half).rstrip(b"=").decode()
