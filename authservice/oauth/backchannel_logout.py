"""Telling clients that a session ended: a thread of the server works through the notices.

Nobody waits for it. What is still to be told stands in the database, so a restart loses nothing,
and every process of the service may take part.
"""

import logging
import threading
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from sqlalchemy.exc import SQLAlchemyError

from authservice import clock
from authservice.db import Database
from authservice.oauth import logout_token
from authservice.services import clients, logout_notices, sessions
from authservice.services.logout_notices import LogoutNotice
from authservice.services.signing_keys import SigningKeys
from authservice.settings import AuthSettings

if TYPE_CHECKING:
    from authservice.oauth.logout_delivery import LogoutDelivery

_log = logging.getLogger(__name__)

# How often notices are looked for that another process left behind.
_IDLE_SECONDS = 5.0
# How far before a look for expired sessions the next one begins: other clocks are behind.
_LOOK_BACK = timedelta(hours=1)


class BackchannelLogout:
    """Sends logout tokens; ``wake`` says that there is something to do now."""

    def __init__(self, settings: AuthSettings, database: Database, keys: SigningKeys) -> None:
        """Take what the notices and tokens are made of; nothing runs before ``start``."""
        self._settings = settings
        self._database = database
        self._keys = keys
        self._next_look_from = datetime.min.replace(tzinfo=UTC)
        self._work = threading.Event()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="backchannel-logout", daemon=True)

    def start(self) -> None:
        """Begin to work through the notices."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread after the attempt that is under way."""
        self._ended.set()
        self._work.set()
        if self._thread.is_alive():
            self._thread.join()

    def wake(self) -> None:
        """Look for notices now."""
        self._work.set()

    def _run(self) -> None:
        while not self._ended.is_set():
            try:
                self.end_expired_sessions()
                while not self._ended.is_set() and self.attempt_one():
                    pass
            except SQLAlchemyError as error:
                _log.warning("logout notices wait for the database: %s", type(error).__name__)
            except Exception:  # noqa: BLE001  (whatever it is, the thread has to go on)
                # Nobody would start this thread again.
                _log.exception("an attempt to tell a client of a sign-out failed unexpectedly")
            self._work.wait(_IDLE_SECONDS)
            self._work.clear()

    def end_expired_sessions(self) -> None:
        """End the sessions whose time is over and of whose end somebody wants to know.

        What was looked at before is not looked at again: most sessions that have expired stay for
        days, and nobody wants to know.
        """
        recently = clock.now() - _LOOK_BACK
        expired = sessions.expired_with_participants(self._database.reader, self._next_look_from)
        if expired:
            with self._database.transaction() as connection:
                sessions.end(connection, expired)
        if len(expired) < sessions.ENDED_AT_ONCE:
            # Also where that is earlier than before, because the clock was set back.
            self._next_look_from = recently

    def attempt_one(self) -> bool:
        """Make one attempt at the notice that has been due longest; False when none is due."""
        notice_id = logout_notices.next_due(self._database.reader)
        if notice_id is None:
            return False
        with self._database.transaction() as connection:
            notice = logout_notices.take(connection, notice_id)
        if notice is not None:
            delivered = self._deliver(notice)
            with self._database.transaction() as connection:
                if delivered:
                    logout_notices.remove(connection, notice)
                elif logout_notices.postpone(connection, notice) is None:
                    _log.warning("gave up telling client %s of a sign-out", notice.client_id)
        return True

    def _deliver(self, notice: LogoutNotice) -> bool:
        client = clients.find(self._database.reader, notice.client_id)
        if client is None or client.backchannel_logout_uri is None:
            # Nobody wants to know any more.
            return True
        token = logout_token.issue(notice, client, self._settings.issuer, self._keys)
        failure = self._delivery.deliver(client.backchannel_logout_uri, token)
        if failure is not None:
            _log.warning("client %s could not be told of a sign-out: %s", client.client_id, failure)
        return failure is None

    @cached_property
    def _delivery(self) -> "LogoutDelivery":
        # Imported when it is needed: most services have no client that wants to be told, and the
        # HTTP client takes five megabytes.
        from authservice.oauth.logout_delivery import LogoutDelivery  # noqa: PLC0415

        return LogoutDelivery(self._settings)
