"""The public keys of a client: those of its registration, or those at the address that it names.

Only an address of a registration is asked, once a minute at most by all processes together,
whatever comes, and never in a transaction. While one request asks, others that need the answer
wait for it: shortly, and not where the address failed before, for it must not hold all threads.
"""

import logging
import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, select, update

from authservice import clock
from authservice.crypto import public_keys
from authservice.crypto.public_keys import KeySet, PublicKey
from authservice.database.database import Database, insert_or_ignore
from authservice.database.prepared import PreparedRows
from authservice.models import fetched_keys
from authservice.services.clients.clients import Client
from authservice.settings import AuthSettings

if TYPE_CHECKING:
    from authservice.outgoing import CallsToClients

_log = logging.getLogger(__name__)

_INTERVAL = timedelta(minutes=1)
# How long keys count before their address is asked again, and while it does not answer.
_FRESH, _LONGEST = timedelta(minutes=5), timedelta(hours=1)
_PATIENCE_SECONDS, _PAUSE_SECONDS = 2.0, 0.05
_SECONDS = {"connect": 2.0, "read": 3.0, "total": 4.0}
_MOST_BYTES = 256 * 1024
_OK = 200


@dataclass(frozen=True, slots=True)
class _Fetched:
    """What is stored of an address."""

    jwks: KeySet | None
    fetched_at: datetime | None
    asked_at: datetime
    answered_at: datetime | None

    @property
    def is_awaited(self) -> bool:
        """Tell whether it is being asked, and did not fail the time before."""
        if self.answered_at is None:
            return True
        return self.answered_at < self.asked_at and self.fetched_at == self.answered_at

    def is_younger_than(self, age: timedelta) -> bool:
        return self.fetched_at is not None and _is_within(age, self.fetched_at)

    def key(self, alg: str, kid: str | None) -> PublicKey | None:
        valid = self.jwks if self.is_younger_than(_LONGEST) else None
        return None if valid is None else public_keys.fitting(valid, alg, kid)


_row = fetched_keys.c
_COLUMNS = _row.jwks, _row.fetched_at, _row.asked_at, _row.answered_at
_FIND = PreparedRows(select(*_COLUMNS).where(_row.id == bindparam("address")), _Fetched)


class ClientKeys:
    """Finds the key that an assertion says it was signed with."""

    def __init__(self, settings: AuthSettings, database: Database) -> None:
        self._settings = settings
        self._database = database

    def find(self, client: Client, alg: str, kid: str | None) -> PublicKey | None:
        """Return the client's key for a header; None when it has none, or it is out of reach.

        Not in a transaction.
        """
        if client.jwks_uri is None:
            return None if client.jwks is None else public_keys.fitting(client.jwks, alg, kid)
        address = client.jwks_uri
        stored = self._stored(address)
        key = None if stored is None else stored.key(alg, kid)
        if stored is not None and key is not None and stored.is_younger_than(_FRESH):
            return key
        may_ask = stored is None or not _is_within(_INTERVAL, stored.asked_at)
        if may_ask and self._fetch_in_turn(address):
            key = None
        until = time.monotonic() + _PATIENCE_SECONDS
        while key is None and (stored := self._stored(address)) is not None:
            key = stored.key(alg, kid)
            if not stored.is_awaited or time.monotonic() > until:
                break
            time.sleep(_PAUSE_SECONDS)
        return key

    def _stored(self, address: str) -> _Fetched | None:
        return _FIND.first(self._database.reader, {"address": address})

    def _fetch_in_turn(self, address: str) -> bool:
        """Fetch and store the keys at an address; False where another request did so just now."""
        turn = clock.now()
        with self._database.transaction() as connection:
            if not insert_or_ignore(connection, fetched_keys, {"id": address, "asked_at": turn}):
                # A moment to come is one of a clock that has been set back since.
                just_now = _row.asked_at.between(turn - _INTERVAL, turn + _INTERVAL)
                taking = update(fetched_keys).where(_row.id == address, ~just_now)
                if not connection.execute(taking.values(asked_at=turn)).rowcount:
                    return False
        found = self._fetched(address)
        now = clock.now()
        values = {"answered_at": now} | ({"jwks": found, "fetched_at": now} if found else {})
        with self._database.transaction() as connection:
            mine = update(fetched_keys).where(_row.id == address, _row.asked_at == turn)
            connection.execute(mine.values(values))
        return True

    def _fetched(self, address: str) -> KeySet | None:
        """Return the good keys at an address, None if it has no set; the log says what is wrong."""
        from authservice.httpclient import Method, Request, SendError  # noqa: PLC0415

        found = None
        try:
            answer = self._calls.send(Request(Method.GET, address))
            reason = "" if answer.status_code == _OK else f"it answered {answer.status_code}"
            if not reason:
                found = public_keys.usable(public_keys.read(answer.body))
                reason = "" if found["keys"] else "none is good for a signature here"
        except SendError as error:
            reason = error.reason
        except ValueError as error:
            reason = str(error)
        if reason:
            shown = address.partition("?")[0]
            _log.warning("the keys of clients at %s cannot be used: %s", shown, reason)
        return found

    @cached_property
    def _calls(self) -> "CallsToClients":
        # Imported when it is needed: the HTTP client takes five megabytes.
        from authservice.httpclient import Timeouts  # noqa: PLC0415
        from authservice.outgoing import CallsToClients  # noqa: PLC0415

        return CallsToClients(self._settings, Timeouts(**_SECONDS), _MOST_BYTES)


def _is_within(duration: timedelta, moment: datetime) -> bool:
    return abs(clock.now() - moment) < duration
