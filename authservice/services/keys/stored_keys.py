"""Signing keys as they are stored, with what opens their private halves."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from authservice.crypto.compact_json import compact
from authservice.crypto.server_secret import MadeWith, ServerSecret
from authservice.crypto.signing_keys import (
    SigningKey,
    decrypt_private_key,
    encrypt_private_key,
    encrypted_with,
    public_jwk,
)
from authservice.database.database import advisory_lock
from authservice.models import jwks

_CHANGING_KEYS = 0x6A776B73


@dataclass(frozen=True, slots=True)
class StoredKey:
    """A row of jwks; ``expires_at`` is when it signs for the last time, if that is known."""

    kid: str
    public_jwk: dict[str, Any]
    private_key: str
    created_at: datetime
    expires_at: datetime | None

    @property
    def alg(self) -> str:
        """Return the algorithm that the key signs with."""
        alg: str = self.public_jwk["alg"]
        return alg

    def open(self, secret: ServerSecret) -> SigningKey | None:
        """Return the key ready to sign, or None when it was stored under another secret."""
        return decrypt_private_key(self.kid, self.private_key, secret)

    def stored_with(self, secret: ServerSecret) -> MadeWith | None:
        """Return which secret opens the private half, or None when neither does."""
        return encrypted_with(self.kid, self.private_key, secret)


def every(connection: Connection) -> list[StoredKey]:
    """Return all keys, the newest first."""
    rows = connection.execute(select(jwks).order_by(jwks.c.created_at.desc(), jwks.c.id))
    return [
        StoredKey(
            row.id, json.loads(row.public_key), row.private_key, row.created_at, row.expires_at
        )
        for row in rows
    ]


def every_in_turn(connection: Connection) -> list[StoredKey]:
    """Return all keys; no other transaction changes any before this one ends."""
    advisory_lock(connection, _CHANGING_KEYS)
    return every(connection)


def add(
    connection: Connection, key: SigningKey, secret: ServerSecret, created_at: datetime
) -> None:
    """Store a new key."""
    connection.execute(
        insert(jwks),
        {
            "id": key.kid,
            "public_key": compact(public_jwk(key)),
            "private_key": encrypt_private_key(key, secret),
            "created_at": created_at,
        },
    )


def set_end(connection: Connection, keys: Iterable[StoredKey], expires_at: datetime) -> None:
    """Say when keys sign for the last time."""
    kids = [key.kid for key in keys]
    connection.execute(update(jwks).where(jwks.c.id.in_(kids)).values(expires_at=expires_at))


def store_anew(connection: Connection, key: StoredKey, secret: ServerSecret) -> bool:
    """Store the private half under the current secret; False when another did so meanwhile."""
    opened = key.open(secret)
    if opened is None:
        return False
    # Only the very text that was read is replaced.
    unchanged = (jwks.c.id == key.kid) & (jwks.c.private_key == key.private_key)
    change = update(jwks).where(unchanged).values(private_key=encrypt_private_key(opened, secret))
    return connection.execute(change).rowcount == 1


def remove(connection: Connection, kid: str) -> bool:
    """Delete a key with its private half; False when it is not there."""
    return connection.execute(delete(jwks).where(jwks.c.id == kid)).rowcount == 1


def remove_ended_before(connection: Connection, moment: datetime) -> None:
    """Delete the keys that signed for the last time before a moment."""
    connection.execute(delete(jwks).where(jwks.c.expires_at < moment))
