"""Everything derived from AUTH_SECRET: message authentication and sealed values.

Each use names a purpose, and each purpose has a key of its own, so that a value made for one use
is worth nothing in another. While a secret is being rotated the one before still opens what it
made; new values are always made with the current one. Local mode makes its own secret.
"""

import hashlib
import hmac
import json
import os
import secrets
from base64 import urlsafe_b64decode
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Literal

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

from authservice.crypto import base64url, private_files
from authservice.crypto.compact_json import compact

_NONCE_LENGTH = 12

# Which of the secrets a value was made with.
MadeWith = Literal["current", "previous"]


@dataclass(frozen=True, slots=True)
class Unsealed:
    """A value that was sealed here, and whether it has expired."""

    value: dict[str, Any]
    expires_at: datetime
    expired: bool


class ServerSecret:
    """The server's secret and, during a rotation, the one before it."""

    def __init__(self, current: bytes, previous: bytes | None = None) -> None:
        secrets = (current, previous) if previous else (current,)

        @cache
        def keys(purpose: str) -> tuple[bytes, ...]:
            return tuple(_derive(secret, purpose) for secret in secrets)

        self._keys = keys

    def mac(self, purpose: str, message: str) -> str:
        """Return an authentication code of 43 characters for a message."""
        return _mac(self._keys(purpose)[0], message)

    def verify_mac(self, purpose: str, message: str, code: str) -> bool:
        """Tell, in constant time, whether the code was made for this message and purpose."""
        presented = code.encode("utf-8", "replace")
        for key in self._keys(purpose):
            if hmac.compare_digest(_mac(key, message).encode(), presented):
                return True
        return False

    def encrypt(self, purpose: str, plain: str) -> str:
        """Return the text encrypted and authenticated, as base64url."""
        return encrypt(self._keys(purpose)[0], purpose, plain)

    def decrypt(self, purpose: str, sealed: str) -> str | None:
        """Return the text, or None when it was altered or made with another secret."""
        for key in self._keys(purpose):
            plain = decrypt(key, purpose, sealed)
            if plain is not None:
                return plain
        return None

    def decrypt_and_renew(self, purpose: str, sealed: str) -> tuple[str, str] | None:
        """Return the text, and it encrypted with the current secret; None as ``decrypt``."""
        current, *before = self._keys(purpose)
        plain = decrypt(current, purpose, sealed)
        if plain is not None:
            return plain, sealed
        for key in before:
            plain = decrypt(key, purpose, sealed)
            if plain is not None:
                return plain, self.encrypt(purpose, plain)
        return None

    def made_with(self, purpose: str, sealed: str) -> MadeWith | None:
        """Return which secret a text was encrypted with, or None when it was neither."""
        made_with: tuple[MadeWith, ...] = ("current", "previous")
        for name, key in zip(made_with, self._keys(purpose), strict=False):
            if decrypt(key, purpose, sealed) is not None:
                return name
        return None

    def seal(self, purpose: str, value: dict[str, Any], expires_at: datetime) -> str:
        """Return a value as opaque text that holds until a moment."""
        content = {"exp": int(expires_at.timestamp()), "val": value}
        return self.encrypt(purpose, compact(content))

    def unseal(self, purpose: str, sealed: str, now: datetime) -> Unsealed | None:
        """Return the value and whether it has expired; None when it was altered."""
        plain = self.decrypt(purpose, sealed)
        if plain is None:
            return None
        content = json.loads(plain)
        expires_at = datetime.fromtimestamp(content["exp"], UTC)
        return Unsealed(content["val"], expires_at, expired=now >= expires_at)


def encrypt(key: bytes, label: str, plain: str) -> str:
    """Return the text under AES-256-GCM with the label authenticated beside it."""
    nonce = os.urandom(_NONCE_LENGTH)
    sealed = nonce + AESGCM(key).encrypt(nonce, plain.encode(), label.encode())
    return base64url.encode(sealed)


def decrypt(key: bytes, label: str, sealed: str) -> str | None:
    """Return what ``encrypt`` was given, or None when key, label or text do not fit."""
    try:
        raw = urlsafe_b64decode(sealed.encode("ascii") + b"=" * (-len(sealed) % 4))
        # The decoder passes over what is no base64url, and over bits that no byte takes up.
        if base64url.encode(raw) != sealed:
            return None
        return (
            AESGCM(key).decrypt(raw[:_NONCE_LENGTH], raw[_NONCE_LENGTH:], label.encode()).decode()
        )
    except (InvalidTag, ValueError):
        return None


def _mac(key: bytes, message: str) -> str:
    code = hmac.digest(key, message.encode("utf-8", "surrogatepass"), hashlib.sha256)
    return base64url.encode(code)


def _derive(secret: bytes, purpose: str) -> bytes:
    # The secret is random already, so HKDF needs no extraction step (RFC 5869, section 3.3); it
    # is hashed first because expansion wants a key of the hash's length.
    return HKDFExpand(algorithm=SHA256(), length=32, info=f"authservice {purpose}".encode()).derive(
        hashlib.sha256(secret).digest()
    )


_LENGTH = 32


def secret_file(database_file: str) -> Path:
    """Return where the secret for a database file is kept, whether or not it is there."""
    return Path(f"{database_file}.secret")


def local_secret(database_file: str) -> bytes:
    """Return the secret kept beside a database file, making it if there is none."""
    return private_files.keep(secret_file(database_file), secrets.token_bytes(_LENGTH))
