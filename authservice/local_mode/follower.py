"""What every process of local mode follows: the clock and the signing keys in the database.

Four times a second it looks whether another process has turned the clock or changed the keys, and
lets the others see which requests it has answered. What paces the work of a process goes by the
machine's clock: pauses, timeouts, the Date header.
"""

import threading
from contextlib import suppress
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.exc import SQLAlchemyError

from authservice import clock
from authservice.database.database import Database
from authservice.database.prepared import Prepared, Row
from authservice.local_mode import turned_clock
from authservice.local_mode.request_log.store import RequestLog
from authservice.local_mode.turned_clock import MACHINE, Turn
from authservice.models import jwks
from authservice.oauth.logout.backchannel import BackchannelLogout
from authservice.services.keys.signing_keys import SigningKeys
from authservice.services.upkeep.recurring import Recurring

_EVERY_SECONDS = 0.25
# What every change of the keys changes.
_FIGURES: Any = select(
    func.count(),
    func.max(jwks.c.created_at),
    func.count(jwks.c.expires_at),
    func.max(jwks.c.expires_at),
)
_KEYS = Prepared(_FIGURES)


def turn_clock(database: Database) -> None:
    """Turn the clock of this process, before anything else asks for the time."""
    try:
        _set(turned_clock.stored(database.reader))
    except SQLAlchemyError:
        # The follower turns it when the database can be reached.
        return


class Follower:
    """Keeps the clock of this process and its keys as the database has them."""

    def __init__(
        self,
        database: Database,
        keys: SigningKeys,
        backchannel_logout: BackchannelLogout,
        request_log: RequestLog,
    ) -> None:
        self._database = database
        self._request_log = request_log
        self._keys = keys
        self._backchannel_logout = backchannel_logout
        self._seen: tuple[Turn, Row | None] | None = None
        self._looking = threading.Lock()
        self._thread = Recurring(
            "local mode",
            lambda _ended: self._look(),
            database,
            first=_EVERY_SECONDS,
            interval=_EVERY_SECONDS,
        )

    def start(self) -> None:
        """Begin to look."""
        with suppress(SQLAlchemyError):
            self._seen = self._state()
        self._thread.start()

    def stop(self) -> None:
        """Look no more, and let the machine's clock count."""
        self._thread.stop()
        _set(MACHINE)

    def look(self) -> None:
        """Follow what is committed by now; raises what the database raises."""
        with self._looking:
            state = self._state()
            if state == self._seen:
                return
            _set(state[0])
            # By this time another key may sign, or be due.
            self._keys.load()
            # Not as it is now: what others have changed since it was read comes with the next look.
            self._seen = state
        # Sessions may be over by it, of which clients are told.
        self._backchannel_logout.wake()

    def _look(self) -> None:
        self._request_log.write()
        # The requests say what is wrong with the database.
        with suppress(SQLAlchemyError):
            self.look()

    def _state(self) -> tuple[Turn, Row | None]:
        reader = self._database.reader
        return turned_clock.stored(reader), _KEYS.first(reader, {})


def _set(turn: Turn) -> None:
    if turn != MACHINE:
        clock.now = turn.now
    elif isinstance(getattr(clock.now, "__self__", None), Turn):
        clock.now = clock.machine
