"""The signing keys of the service: made once, loaded once, published as a JSON Web Key Set."""

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, insert, select

from authservice import clock
from authservice.crypto import jwt
from authservice.crypto.secret_values import random_id
from authservice.crypto.server_secret import ServerSecret
from authservice.crypto.signing_keys import (
    ALGORITHMS,
    SigningKey,
    decrypt_private_key,
    encrypt_private_key,
    generate,
    public_jwk,
    verification_keys,
)
from authservice.db import Database
from authservice.models import jwks


@dataclass(frozen=True, slots=True)
class _KeySet:
    signing: Mapping[str, SigningKey]
    verifying: Mapping[str, Any]
    document: bytes


class SigningKeys:
    """One key for each algorithm, kept by every process and stored by the first of them.

    A key that was stored under another server secret can sign no more: a new one is made for its
    algorithm, and the old public half stays published, so that what it signed still verifies.
    """

    def __init__(self, database: Database, secret: ServerSecret) -> None:
        """Take where keys are stored, and the secret under which they are."""
        self._database = database
        self._secret = secret
        self._lock = threading.Lock()
        self._loaded: _KeySet | None = None

    def load(self) -> None:
        """Load the keys, making those that are missing in one writing transaction."""
        with self._lock:
            if self._loaded is not None:
                return
            found = self._read(self._database.reader)
            if not set(ALGORITHMS) <= set(found.signing):
                with self._database.transaction() as connection:
                    # Looked at again inside: another process may have made them meanwhile.
                    for alg in set(ALGORITHMS) - set(self._read(connection).signing):
                        _store(connection, generate(alg, random_id()), self._secret)
                found = self._read(self._database.reader)
            self._loaded = found

    def sign(self, claims: Mapping[str, Any], *, alg: str, typ: str) -> str:
        """Return claims as a signed JWT of the given kind."""
        return jwt.sign(claims, self._keys.signing[alg], typ=typ)

    def verify(self, token: str, *, typ: str) -> dict[str, Any] | None:
        """Return the claims of a JWT of the given kind that one of these keys signed."""
        return jwt.verify(token, self._keys.verifying, typ=typ)

    @property
    def document(self) -> bytes:
        """Return the JSON Web Key Set as it is published."""
        return self._keys.document

    @property
    def _keys(self) -> _KeySet:
        if self._loaded is None:
            # The database could not be reached at start.
            self.load()
        assert self._loaded is not None  # noqa: S101  (load has set it or raised)
        return self._loaded

    def _read(self, connection: Connection) -> _KeySet:
        signing: dict[str, SigningKey] = {}
        published = []
        newest_first = select(jwks).order_by(jwks.c.created_at.desc(), jwks.c.id)
        for row in connection.execute(newest_first).all():
            published.append(json.loads(row.public_key))
            if published[-1]["alg"] not in signing:
                key = decrypt_private_key(row.id, row.private_key, self._secret)
                if key is not None:
                    signing[key.alg] = key
        # RS256 leads: a client that takes the first key it finds expects that one.
        published.sort(key=lambda members: ALGORITHMS.index(members["alg"]))
        document = json.dumps({"keys": published}, separators=(",", ":")).encode()
        return _KeySet(signing, verification_keys(published), document)


def _store(connection: Connection, key: SigningKey, secret: ServerSecret) -> None:
    connection.execute(
        insert(jwks),
        {
            "id": key.kid,
            "public_key": json.dumps(public_jwk(key), separators=(",", ":")),
            "private_key": encrypt_private_key(key, secret),
            "created_at": clock.now(),
        },
    )
