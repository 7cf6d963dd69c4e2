"""Signed JWTs: made with one of our keys, and accepted only when they are what was expected.

Every kind of JWT names its kind in the header's ``typ``, and verification demands that kind, a
signature by a key of ours and that key's own algorithm. So no token passes for another, and
neither ``alg: none`` nor a key inside the token has any effect (RFC 8725, sections 3.1 and 3.11).
What we would not write we do not read: a header with any other member, ``crit`` above all, a name
that stands there twice, another text for the same octets.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, NoReturn

from jwcrypto.jwa import JWA
from jwcrypto.jwk import JWK

from authservice.crypto import base64url, signatures
from authservice.crypto.compact_json import compact
from authservice.crypto.signing_keys import SigningKey

# The hash that goes with an algorithm, for at_hash (OpenID Connect Core 3.1.3.6); Ed25519 uses
# SHA-512 inside.
_HASHES = {"RS256": hashlib.sha256, "ES256": hashlib.sha256, "EdDSA": hashlib.sha512}

# The members of our own headers. This code does not implement any extension, critical or not
# (RFC 7515, section 4.1.11).
_HEADERS = frozenset({"alg", "kid", "typ"})

_NO_JWT = (KeyError, RecursionError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class _Parsed:
    """A token taken apart, of which nothing is verified."""

    header: Mapping[str, str]
    signing_input: bytes
    payload: bytes
    signature: bytes


def sign(claims: Mapping[str, Any], key: SigningKey, *, typ: str) -> str:
    """Return the claims as a compact signed JWT of the given kind (RFC 7515, section 7.1)."""
    signing_input = f"{_header(key.alg, key.kid, typ)}.{_encoded(claims)}"
    # The library's JWS object would copy its registry of headers and read back what it wrote.
    signature = JWA.signing_alg(key.alg).sign(key.jwk, signing_input.encode("ascii"))
    return f"{signing_input}.{base64url.encode(signature)}"


def verify(token: str, public_keys: Mapping[str, JWK], *, typ: str) -> dict[str, Any] | None:
    """Return the claims of a JWT of the given kind signed by one of the keys, else None.

    Issuer, audience and times are the caller's to check: what they must be differs by kind.
    """
    try:
        parsed = _parse(token, _understood)
        key = public_keys.get(parsed.header["kid"])
        if key is None or parsed.header["typ"].lower() != typ.lower():
            return None
        return _object(_signed_payload(parsed, key))
    except _NO_JWT:
        return None


def key_id(token: str) -> str | None:
    """Return the key that a JWT says it was signed with, or None when it names none.

    Nothing is verified: this only says which key to look for.
    """
    try:
        return _parse(token, _understood).header["kid"]
    except _NO_JWT:
        return None


@dataclass(frozen=True, slots=True)
class OthersJwt:
    """A JWT that another has made: what it says, and for now without a proof of who says it."""

    alg: str
    kid: str | None
    typ: str | None
    claims: Mapping[str, Any]
    _parsed: _Parsed

    @classmethod
    def read(cls, token: str) -> "OthersJwt":
        """Return a JWT as it was sent; raises ValueError.

        What a header holds beside these three is ignored, but for what it calls critical (RFC 7515,
        sections 4 and 4.1.11).
        """
        try:
            parsed = _parse(token, _of_others)
            alg, kid, typ = (parsed.header.get(name) for name in ("alg", "kid", "typ"))
            return cls(alg or "none", kid, typ, _object(parsed.payload), parsed)
        except _NO_JWT:
            raise ValueError("not a signed JWT in compact form (RFC 7515, section 7.1)") from None

    def is_signed_by(self, key: JWK) -> bool:
        """Tell whether a key signed it, which is for one algorithm and kind of signature."""
        alg = key["alg"]
        try:
            signatures.check(alg, key, self._parsed.signing_input, self._parsed.signature)
        except ValueError:
            return False
        return True


def _parse(token: str, understood: Callable[[dict[str, Any]], dict[str, str]]) -> _Parsed:
    """Return a token taken apart; raises ValueError for any form but the compact one."""
    try:
        header, payload, signature = token.split(".")
    except ValueError:
        raise ValueError("a JWT is three parts in base64url (RFC 7519, section 3)") from None
    return _Parsed(
        header=understood(_object(base64url.decode(header))),
        signing_input=f"{header}.{payload}".encode("ascii"),
        payload=base64url.decode(payload),
        signature=base64url.decode(signature),
    )


def _understood(header: dict[str, Any]) -> dict[str, str]:
    """Return a header in which there is nothing but what we write ourselves."""
    if not header.keys() <= _HEADERS:
        raise ValueError("a header holds alg, kid and typ, and nothing else")
    return _only_texts(header)


def _of_others(header: dict[str, Any]) -> dict[str, str]:
    """Return what is read of a header that another has written."""
    if "crit" in header:
        raise ValueError("this service knows no extension of JWS")
    return _only_texts({name: header[name] for name in _HEADERS & header.keys()})


def _only_texts(header: dict[str, Any]) -> dict[str, str]:
    if not all(isinstance(value, str) for value in header.values()):
        raise ValueError("what a header holds is text")
    return header


def _signed_payload(parsed: _Parsed, key: JWK) -> bytes:
    """Return what a token holds; raises unless this key signed it with the key's own algorithm."""
    signatures.check(parsed.header["alg"], key, parsed.signing_input, parsed.signature)
    return parsed.payload


def _object(encoded: bytes) -> dict[str, Any]:
    """Return a JSON object, in UTF-8 and with each name once; raises ValueError or TypeError."""
    members = json.loads(
        encoded.decode("utf-8"), object_pairs_hook=_distinct, parse_constant=_refuse_constant
    )
    if not isinstance(members, dict):
        raise TypeError("header and claims are JSON objects (RFC 7519, section 3)")
    return members


def _distinct(members: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    seen: dict[str, Any] = {}
    for name, value in members:
        if name in seen:
            raise ValueError("a name stands in an object once (RFC 7515, section 4)")
        seen[name] = value
    return seen


def _refuse_constant(name: str) -> NoReturn:
    message = f"{name} is no JSON (RFC 8259, section 6)"
    raise ValueError(message)


@lru_cache(maxsize=64)
def _header(alg: str, kid: str, typ: str) -> str:
    return _encoded({"alg": alg, "kid": kid, "typ": typ})


def _encoded(members: Mapping[str, Any]) -> str:
    return base64url.encode(compact(members).encode("utf-8"))


def half_hash(alg: str, value: str) -> str:
    """Return the left half of a value's hash, as at_hash holds it."""
    hashed = _HASHES[alg](value.encode("ascii")).digest()
    return base64url.encode(hashed[: len(hashed) // 2])


_ALG = "RS256"
# GitHub takes ten minutes at most, by its own clock, which may be behind ours.
_BEFORE = timedelta(seconds=60)
_AFTER = timedelta(minutes=8)


class AppKey:
    """The private key of an App."""

    def __init__(self, app_id: str, pem: bytes) -> None:
        self._app_id = app_id
        self._jwk = JWK.from_pem(pem)

    def token(self, now: datetime) -> str:
        """Return a JWT that is good for some minutes."""
        issued = int((now - _BEFORE).timestamp())
        claims = {
            "iat": issued,
            "exp": int((now + _AFTER).timestamp()),
            "iss": self._app_id,
        }
        header = {"alg": _ALG, "typ": "JWT"}
        parts = (base64url.encode(compact(part).encode()) for part in (header, claims))
        signing_input = ".".join(parts)
        signature = JWA.signing_alg(_ALG).sign(self._jwk, signing_input.encode("ascii"))
        return f"{signing_input}.{base64url.encode(signature)}"
