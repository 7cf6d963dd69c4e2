"""Tokens as tests want them: those that the service signs, with other claims or another signature.

What the service would issue is taken apart after it was signed. So whatever is not changed is as
it always is.
"""

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from authservice.crypto import base64url, jwt
from authservice.crypto.compact_json import compact
from authservice.crypto.secret_values import random_id
from authservice.crypto.signing_keys import generate
from authservice.services.keys.signing_keys import SigningKeys


@dataclass(frozen=True, slots=True)
class UnsignedToken:
    """The header and the claims of a token, which its next signature covers."""

    header: dict[str, str]
    claims: dict[str, Any]

    @classmethod
    def of(cls, token: str) -> "UnsignedToken":
        """Return what a token of ours says."""
        header, claims = (json.loads(base64url.decode(part)) for part in token.split(".")[:2])
        return cls(header, claims)

    def changed(self, members: Mapping[str, Any], removed: Collection[str]) -> "UnsignedToken":
        """Return it with these claims, and without those that are removed."""
        claims = {**self.claims, **members}
        remaining = {name: value for name, value in claims.items() if name not in removed}
        return UnsignedToken(self.header, remaining)


def _current(token: UnsignedToken, keys: SigningKeys) -> str:
    return keys.sign(token.claims, alg=token.header["alg"], typ=token.header["typ"])


def _unknown(token: UnsignedToken, _keys: SigningKeys) -> str:
    key = generate(token.header["alg"], random_id())
    return jwt.sign(token.claims, key, typ=token.header["typ"])


def _none(token: UnsignedToken, _keys: SigningKeys) -> str:
    parts = {"alg": "none", "typ": token.header["typ"]}, token.claims
    return "".join(f"{base64url.encode(compact(part).encode())}." for part in parts)


def _broken(token: UnsignedToken, keys: SigningKeys) -> str:
    content, _, signature = _current(token, keys).rpartition(".")
    octets = bytearray(base64url.decode(signature))
    # One bit in the middle: the signature keeps its length and its form.
    octets[len(octets) // 2] ^= 1
    return f"{content}.{base64url.encode(bytes(octets))}"


SIGNATURES: Mapping[str, Callable[[UnsignedToken, SigningKeys], str]] = {
    "current": _current,
    "unknown": _unknown,
    "none": _none,
    "broken": _broken,
}
"""How a token is signed: with the key that signs now; with one that is not in the key set; not at
all (RFC 7519, section 6); or with one bit of the signature changed."""
