"""The signing keys as each process holds them: ready to sign, and published as a JSON Web Key Set.

What is stored is read again once in a minute, by the request that finds it older, so that every
process follows the others and the commands. A key that is due is made beside the requests.

Of the keys those are published that sign for somebody: RS256, and what clients are registered for.
Some clients know RSA alone, and fail on a set that has another kind.
"""

import logging
import threading
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from authservice import clock
from authservice.crypto import jwt
from authservice.crypto.algorithms import ALGORITHMS, DEFAULT_ALG
from authservice.crypto.compact_json import compact
from authservice.crypto.server_secret import ServerSecret
from authservice.crypto.signing_keys import SigningKey, verification_keys
from authservice.database.database import Database
from authservice.services.clients import clients
from authservice.services.keys import key_rotation, key_schedule, stored_keys
from authservice.services.keys.stored_keys import StoredKey

_log = logging.getLogger(__name__)

# How old a process's copy of the keys may be.
READ_AGAIN_AFTER = timedelta(minutes=1)
# The same when a token names a key that is not known: it may be a new one, or an invention.
_UNKNOWN_KEY_AFTER = timedelta(seconds=5)
# Older keys could lack one that already signs in another process: all requests wait for the read.
_TOO_OLD = key_schedule.PUBLISHED_BEFORE / 2
# How long a request waits for the first keys. It may itself hold up those who make them.
_FIRST_KEYS_SECONDS = 2.0


class KeysNotReadyError(Exception):
    """There is no key to sign with yet; one is being made."""


@dataclass(frozen=True, slots=True)
class _KeySet:
    signing: Mapping[str, SigningKey]
    made: Mapping[str, datetime]
    verifying: Mapping[str, Any]
    document: bytes
    published_algs: frozenset[str]
    due: tuple[str, ...]
    locked: tuple[str, ...]


class SigningKeys:
    """A key for each algorithm, kept by every process and stored by one of them.

    A key that was stored under another server secret cannot sign here: another is made for its
    algorithm, and the public half stays published, so that what it signed still verifies.
    """

    def __init__(self, database: Database, secret: ServerSecret, *, rotation: timedelta) -> None:
        self._database = database
        self._secret = secret
        self._rotation = rotation
        self._opened: Mapping[str, SigningKey] = {}
        self._loaded: _KeySet | None = None
        self._read_at = datetime.min.replace(tzinfo=UTC)
        self._reading = threading.Lock()
        self._maker: threading.Thread | None = None

    def load(self) -> None:
        """Load the keys before the first request, making those that are missing or due."""
        key_set = self._read()
        if key_set.due:
            try:
                self._make(key_set.due)
            except SQLAlchemyError:
                if self._loaded is None:
                    raise
                # There are keys to serve with; a request will have the next ones made.
                _log.exception("the next signing keys could not be stored")

    def sign(self, claims: Mapping[str, Any], *, alg: str, typ: str) -> str:
        """Return claims as a signed JWT of the given kind.

        If its client was registered a moment ago, the key is published before the JWT is sent.
        """
        keys = self._keys
        if alg not in keys.published_algs:
            keys = self._published_too(alg)
        return jwt.sign(claims, keys.signing[alg], typ=typ)

    def verify(self, token: str, *, typ: str) -> dict[str, Any] | None:
        """Return the claims of a JWT of the given kind that one of these keys signed."""
        keys = self._keys.verifying
        claims = jwt.verify(token, keys, typ=typ)
        if claims is None and jwt.key_id(token) not in {None, *keys}:
            self._read_if_older_than(_UNKNOWN_KEY_AFTER)
            claims = jwt.verify(token, self._keys.verifying, typ=typ)
        return claims

    @property
    def document(self) -> bytes:
        """Return the JSON Web Key Set as it is published."""
        return self._keys.document

    @property
    def made(self) -> Mapping[str, datetime]:
        """Return when the key that signs was made, for each algorithm."""
        return self._keys.made

    @property
    def locked(self) -> tuple[str, ...]:
        """Return the ids of the keys that neither AUTH_SECRET nor the previous one opens.

        They belong to processes that run with another secret, or to a secret that is lost.
        """
        return self._keys.locked

    def wait(self) -> None:
        """Wait until the keys that are being made are stored."""
        if self._maker is not None:
            self._maker.join()

    @property
    def _keys(self) -> _KeySet:
        self._read_if_older_than(READ_AGAIN_AFTER)
        if self._loaded is None and self._maker is not None:
            self._maker.join(_FIRST_KEYS_SECONDS)
        if self._loaded is None:
            raise KeysNotReadyError
        return self._loaded

    def _published_too(self, alg: str) -> _KeySet:
        """Return the keys as they are read since a client chose the algorithm."""
        with self._reading:
            if self._loaded and alg not in self._loaded.published_algs:
                self._read_again()
        return self._keys

    def _read_if_older_than(self, limit: timedelta) -> None:
        age = self._age()
        if age < limit or not self._reading.acquire(blocking=age >= _TOO_OLD):
            return
        try:
            if self._age() >= limit:
                self._read_again()
        finally:
            self._reading.release()

    def _age(self) -> timedelta:
        # A clock that was set back must not prevent the next read.
        return abs(clock.now() - self._read_at)

    def _read_again(self) -> None:
        """Read the stored keys; if that fails, continue with the known ones."""
        try:
            key_set = self._read()
        except SQLAlchemyError as error:
            if self._loaded is None:
                raise
            _log.warning("the signing keys could not be read again: %s", type(error).__name__)
            self._read_at = clock.now()
            return
        if key_set.due and not (self._maker and self._maker.is_alive()):
            # Aside, because this request may hold the write lock that storing a key needs.
            self._maker = threading.Thread(
                target=self._make_aside, args=[key_set.due], name="signing-keys", daemon=True
            )
            self._maker.start()

    def _make_aside(self, algs: tuple[str, ...]) -> None:
        try:
            self._make(algs)
        except SQLAlchemyError:
            _log.exception("the next signing keys could not be stored")

    def _make(self, algs: tuple[str, ...]) -> None:
        new = key_rotation.new_keys(algs)
        with self._database.transaction() as connection:
            added = key_rotation.add_due(
                connection, new, self._secret, self._rotation, usable=self._open
            )
            keys = stored_keys.every(connection)
            registered = clients.registered_algs(connection)
        for key in added:
            _log.info("made the signing key %s for %s", key.kid, key.alg)
        self._take(keys, registered)

    def _read(self) -> _KeySet:
        reader = self._database.reader
        return self._take(stored_keys.every(reader), clients.registered_algs(reader))

    def _take(self, keys: Collection[StoredKey], registered: frozenset[str]) -> _KeySet:
        """Return what the stored keys amount to, and use it if there is one to sign with."""
        now = clock.now()
        published_algs = registered | {DEFAULT_ALG}
        opened = self._open(keys)
        signing = key_schedule.signing(keys, opened, now)
        key_set = _KeySet(
            signing={alg: opened[key.kid] for alg, key in signing.items()},
            made={alg: key.created_at for alg, key in signing.items()},
            verifying=verification_keys(
                key.public_jwk for key in keys if key_schedule.verifies(key, now)
            ),
            document=_document(keys, published_algs, signing, now),
            published_algs=published_algs,
            due=key_schedule.due(keys, opened, now, self._rotation),
            locked=tuple(
                key.kid
                for key in keys
                if key.kid not in opened and not key_schedule.has_ended(key, now)
            ),
        )
        if set(ALGORITHMS) <= set(signing):
            self._warn_of_locked(key_set.locked)
            self._opened, self._loaded = opened, key_set
        if self._loaded is not None:
            self._read_at = now
        return key_set

    def _open(self, keys: Collection[StoredKey]) -> dict[str, SigningKey]:
        """Return the keys that can sign, by id; one that was opened once stays open.

        So a process that runs with the old secret goes on when keys are stored under the new one.
        """
        now = clock.now()
        opened = {
            key.kid: self._opened.get(key.kid) or key.open(self._secret)
            for key in keys
            if not key_schedule.has_ended(key, now)
        }
        return {kid: key for kid, key in opened.items() if key is not None}

    def _warn_of_locked(self, locked: tuple[str, ...]) -> None:
        known = self._loaded.locked if self._loaded else ()
        if locked and locked != known:
            _log.error(
                "%d signing keys were stored under another AUTH_SECRET than this process has: %s;"
                " set that secret as AUTH_SECRET_PREVIOUS, or, if it is lost, run: authservice"
                " keys rotate",
                len(locked),
                ", ".join(locked),
            )


def _document(
    keys: Collection[StoredKey],
    algs: Collection[str],
    signing: Mapping[str, StoredKey],
    now: datetime,
) -> bytes:
    published = [key for key in keys if key.alg in algs and key_schedule.is_published(key, now)]
    # RS256 leads, and of each algorithm the key that signs: some clients take the first they find.
    published.sort(key=lambda key: (ALGORITHMS.index(key.alg), signing.get(key.alg) is not key))
    content = {"keys": [key.public_jwk for key in published]}
    return compact(content).encode()
