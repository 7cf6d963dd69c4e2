"""Values that only the holder of a token can open: the key is derived from the token itself.

The database keeps a digest of the token and the sealed value, and neither opens the other.
"""

import hashlib

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

from authservice.crypto.server_secret import decrypt, encrypt

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
