"""Refresh tokens that name their family, show by a tag that it gave them out, and open values.

A token is the id of its family, 256 random bits, and the first half of an HMAC over both, under a
key of the family. So every token that a family ever had is known for one, and none is stored.
A value sealed under a token opens for its holder alone: the database keeps a digest of the token
and the sealed value, and neither opens the other.
"""

import hashlib
import hmac
import re

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

from authservice.crypto.secret_values import ID_LENGTH, TOKEN_LENGTH, equal, random_token
from authservice.crypto.server_secret import decrypt, encrypt

_HEAD_LENGTH = ID_LENGTH + TOKEN_LENGTH
TAG_LENGTH = 32
_FORM = re.compile(rf"[A-Za-z0-9]{{{_HEAD_LENGTH}}}[0-9a-f]{{{TAG_LENGTH}}}")


def issue(family_id: str, key: str) -> str:
    """Return a new token of a family."""
    head = family_id + random_token()
    return head + _tag(head, key)


def family_of(token: str) -> str | None:
    """Return the id of the family that a token names, or None when it has not this form."""
    return token[:ID_LENGTH] if _FORM.fullmatch(token) else None


def is_issued(token: str, key: str) -> bool:
    """Tell, in constant time, whether a token was issued with this key."""
    return equal(_tag(token[:_HEAD_LENGTH], key), token[_HEAD_LENGTH:])


def _tag(head: str, key: str) -> str:
    return hmac.digest(key.encode(), head.encode(), hashlib.sha256).hex()[:TAG_LENGTH]


_LABEL = "authservice refresh token successor"


def seal_under(token: str, value: str) -> str:
    """Return the value sealed so that only this token opens it."""
    return encrypt(_key(token), _LABEL, value)


def unseal_under(token: str, sealed: str) -> str | None:
    """Return the value, or None when it was sealed under another token."""
    return decrypt(_key(token), _LABEL, sealed)


def _key(token: str) -> bytes:
    # The plain digest of the token is stored, so the key must be another function of it.
    material = hashlib.sha512(token.encode()).digest()
    return HKDFExpand(algorithm=SHA256(), length=32, info=_LABEL.encode()).derive(material)
