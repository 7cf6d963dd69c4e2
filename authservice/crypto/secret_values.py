"""Random identifiers and tokens, and the digest under which a token is stored.

Tokens and clients' secrets carry 256 random bits, so a plain SHA-256 is the right digest: there is
nothing to guess, and a slow password hash would only add a quarter of a second to every token
request. No server secret is needed to register a client or to look a token up.
"""

import hashlib
import hmac
import os
import re
import string

from authservice.crypto import base64url

_ALPHABET = (string.ascii_letters + string.digits).encode()
_UNBIASED = 256 - 256 % len(_ALPHABET)
_TABLE = bytes(_ALPHABET[byte % len(_ALPHABET)] for byte in range(256))
_REJECTED = bytes(range(_UNBIASED, 256))

ID_LENGTH = 32
TOKEN_LENGTH = 43
_TOKEN = re.compile(rf"[A-Za-z0-9]{{{TOKEN_LENGTH}}}")


def random_text(length: int) -> str:
    """Return random characters of [A-Za-z0-9], each equally likely."""
    text = b""
    while len(text) < length:
        text += os.urandom(length + 16).translate(_TABLE, _REJECTED)
    return text[:length].decode()


def random_id() -> str:
    """Return a new primary key of 32 characters."""
    return random_text(ID_LENGTH)


def random_token() -> str:
    """Return a new token, code or secret of 43 characters (256 bits)."""
    return random_text(TOKEN_LENGTH)


def is_token(text: str) -> bool:
    """Tell whether a text has the form of what ``random_token`` returns."""
    return _TOKEN.fullmatch(text) is not None


def digest(value: str) -> str:
    """Return what is stored in place of a token: its SHA-256, base64url without padding."""
    hashed = hashlib.sha256(value.encode("utf-8", "surrogatepass")).digest()
    return base64url.encode(hashed)


def equal(left: str, right: str) -> bool:
    """Compare two values in constant time, whatever characters they hold."""
    return hmac.compare_digest(
        left.encode("utf-8", "surrogatepass"), right.encode("utf-8", "surrogatepass")
    )
