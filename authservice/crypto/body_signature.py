"""The signature of a body under a shared secret, as a provider sends it with its events."""

import hashlib
import hmac

_PREFIX = "sha256="


def is_signed(body: bytes, signature: str, secret: bytes) -> bool:
    """Tell, in constant time, whether ``sha256=`` and hexadecimal digits sign exactly this body."""
    expected = _PREFIX + hmac.new(secret, body, hashlib.sha256).hexdigest()
    # Whatever was sent, also what is not ASCII.
    return hmac.compare_digest(expected.encode(), signature.encode("utf-8", "surrogatepass"))


def fingerprint(body: bytes) -> str:
    """Return what tells a body from every other."""
    return hashlib.sha256(body).hexdigest()
