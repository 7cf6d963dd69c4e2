"""Signed JWTs: made with one of our keys, and accepted only when they are what was expected.

Every kind of JWT names its kind in the header's ``typ``, and verification demands that kind, a
signature by a key of ours and that key's own algorithm. So no token passes for another, and
neither ``alg: none`` nor a key inside the token has any effect (RFC 8725, sections 3.1 and 3.11).
"""

import hashlib
import re
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from jwcrypto.common import JWException, base64url_encode, json_decode
from jwcrypto.jwa import JWA
from jwcrypto.jwk import JWK
from jwcrypto.jws import JWS

from authservice.compact_json import compact
from authservice.crypto.signing_keys import ALGORITHMS, SigningKey

# The hash that goes with an algorithm, for at_hash (OpenID Connect Core 3.1.3.6); Ed25519 uses
# SHA-512 inside.
_HASHES = {"RS256": hashlib.sha256, "ES256": hashlib.sha256, "EdDSA": hashlib.sha512}

# The JSON forms of a JWS are no JWTs, though the library reads them.
_COMPACT = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+", re.ASCII)


def sign(claims: Mapping[str, Any], key: SigningKey, *, typ: str) -> str:
    """Return the claims as a compact signed JWT of the given kind (RFC 7515, section 7.1)."""
    signing_input = f"{_header(key.alg, key.kid, typ)}.{_encoded(claims)}"
    # The library's JWS object would copy its registry of headers and read back what it wrote.
    signature = JWA.signing_alg(key.alg).sign(key.jwk, signing_input.encode("ascii"))
    return f"{signing_input}.{base64url_encode(signature)}"


def verify(token: str, public_keys: Mapping[str, JWK], *, typ: str) -> dict[str, Any] | None:
    """Return the claims of a JWT of the given kind signed by one of the keys, else None.

    Issuer, audience and times are the caller's to check: what they must be differs by kind.
    """
    try:
        parsed = _parse(token)
        header = parsed.jose_header
        key = public_keys.get(header["kid"])
        if key is None or header["typ"].lower() != typ.lower():
            return None
        claims = json_decode(_signed_payload(parsed, key))
    except (JWException, AttributeError, KeyError, TypeError, ValueError):
        return None
    return claims if isinstance(claims, dict) else None


def key_id(token: str) -> str | None:
    """Return the key that a JWT says it was signed with, or None when it names none.

    Nothing is verified: this only says which key to look for.
    """
    try:
        kid = _parse(token).jose_header["kid"]
    except (JWException, AttributeError, KeyError, TypeError, ValueError):
        return None
    return kid if isinstance(kid, str) else None


def _parse(token: str) -> JWS:
    """Return a token taken apart; raises ValueError for any form but the compact one."""
    if not _COMPACT.fullmatch(token):
        raise ValueError("a JWT is three parts in base64url (RFC 7519, section 3)")
    parsed = JWS()
    parsed.allowed_algs = list(ALGORITHMS)
    parsed.deserialize(token)
    return parsed


def _signed_payload(parsed: JWS, key: JWK) -> bytes:
    """Return what a token holds; raises unless this key signed it with the key's own algorithm."""
    if parsed.jose_header["alg"] != key["alg"]:
        raise ValueError("the algorithm is not that of the key")
    parsed.verify(key, alg=key["alg"])
    payload: bytes = parsed.payload
    return payload


@lru_cache(maxsize=64)
def _header(alg: str, kid: str, typ: str) -> str:
    return _encoded({"alg": alg, "kid": kid, "typ": typ})


def _encoded(members: Mapping[str, Any]) -> str:
    encoded: str = base64url_encode(compact(members))
    return encoded


def half_hash(alg: str, value: str) -> str:
    """Return the left half of a value's hash, as at_hash holds it."""
    hashed = _HASHES[alg](value.encode("ascii")).digest()
    return urlsafe_b64encode(hashed[: len(hashed) // 2]).rstrip(b"=").decode()
