"""base64url without padding (RFC 7515, section 2), in which one value has one text."""

import re
from base64 import urlsafe_b64decode
from binascii import b2a_base64

_ALPHABET = re.compile(r"[A-Za-z0-9_-]*", re.ASCII)
_OF_URLS = bytes.maketrans(b"+/", b"-_")


def decode(text: str) -> bytes:
    """Return what a text stands for; raises ValueError unless it is the one text for that value.

    The standard decoder passes over foreign characters, padding in excess, and bits that no octet
    takes up.
    """
    if not _ALPHABET.fullmatch(text):
        raise ValueError("base64url has letters, digits, - and _ only (RFC 7515, section 2)")
    octets = urlsafe_b64decode(f"{text}{'=' * (-len(text) % 4)}")
    if encode(octets) != text:
        raise ValueError("the bits that no octet takes up must be zero (RFC 4648, section 3.5)")
    return octets


def encode(octets: bytes) -> str:
    """Return the one text for a value."""
    return b2a_base64(octets, newline=False).translate(_OF_URLS, b"=").decode("ascii")
