"""Telling clients that a session ended: a thread of the server works through the notices.

No request waits for it. What is still to be told stands in the database, so a restart loses
nothing, and every process of the service may take part. Several clients are told at the same time,
and each is told of one sign-out after the other. So a client that does not answer keeps no other
waiting. This thread alone asks the database; those beside it only send.
"""

import logging
import threading
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property, partial
from itertools import count
from typing import TYPE_CHECKING

from sqlalchemy.exc import SQLAlchemyError

from authservice import clock
from authservice.database.database import Database
from authservice.oauth.logout import logout_token
from authservice.services.clients import clients
from authservice.services.keys.signing_keys import SigningKeys
from authservice.services.sessions import logout_notices, sessions
from authservice.services.sessions.logout_notices import LogoutNotice
from authservice.settings import AuthSettings

if TYPE_CHECKING:
    from authservice.oauth.logout.delivery import LogoutDelivery

_log = logging.getLogger(__name__)

# How many clients are told at the same time, and how many of them may have failed before.
AT_ONCE = 8
_FAILED_AT_ONCE = AT_ONCE // 2


class LogoutTurns:
    """Remembers which clients are being told, who was told when, and whose last attempt failed."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._under_way: set[str] = set()
        self._last: dict[str, int] = {}
        self._failed: set[str] = set()

    @property
    def last(self) -> Mapping[str, int]:
        """Return the number of each client's last turn: the longer ago, the lower."""
        return self._last

    @property
    def passed_over(self) -> Collection[str]:
        """Return the clients whose turn it is not now.

        A client that is silent keeps its place until its time is over. So clients that failed get
        no more than some of the places, and the others never wait for them alone.
        """
        if len(self._under_way & self._failed) < _FAILED_AT_ONCE:
            return self._under_way
        return self._under_way | self._failed

    @property
    def any_left(self) -> bool:
        """Tell whether one more client may be told now."""
        return len(self._under_way) < AT_ONCE

    def begin(self, client_id: str) -> None:
        """Note that a client is being told."""
        self._under_way.add(client_id)
        self._last[client_id] = next(self._numbers)

    def end(self, client_id: str, *, told: bool) -> None:
        """Note that an attempt is over, and how."""
        self._under_way.discard(client_id)
        if told:
            self._failed.discard(client_id)
        else:
            self._failed.add(client_id)


# How often notices are looked for that another process left behind.
_IDLE_SECONDS = 5.0
# How far before a look for expired sessions the next one begins: other clocks are behind.
_LOOK_BACK = timedelta(hours=1)


class BackchannelLogout:
    """Sends logout tokens, from ``start`` to ``stop``; ``wake`` says that there is work."""

    def __init__(self, settings: AuthSettings, database: Database, keys: SigningKeys) -> None:
        self._settings = settings
        self._database = database
        self._keys = keys
        self._next_look_from = datetime.min.replace(tzinfo=UTC)
        self._turns = LogoutTurns()
        self._under_way: dict[Future[str | None], _Attempt] = {}
        self._work = threading.Event()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="backchannel-logout", daemon=True)

    def start(self) -> None:
        """Begin to work through the notices."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread after the attempts that are under way."""
        self._ended.set()
        self._work.set()
        if self._thread.is_alive():
            self._thread.join()

    def wake(self) -> None:
        """Look for notices now."""
        self._work.set()

    def _run(self) -> None:
        with ThreadPoolExecutor(AT_ONCE, "backchannel-logout") as places:
            while not self._ended.is_set():
                self._do(self.end_expired_sessions)
                self._do(partial(self._tell, places))
                self._work.wait(_IDLE_SECONDS)
                self._work.clear()
        self._do(self._record_what_is_done)

    def _do(self, work: Callable[[], object]) -> None:
        try:
            work()
        except SQLAlchemyError as error:
            _log.warning("logout notices wait for the database: %s", type(error).__name__)
        except Exception:  # noqa: BLE001  (whatever it is, the thread has to go on)
            # Nothing would start this thread again.
            _log.exception("an attempt to tell a client of a sign-out failed unexpectedly")
        finally:
            # The thread needs none until there is work.
            self._database.hand_back_reader()

    def end_expired_sessions(self) -> None:
        """End the sessions that have expired and whose clients are to be told.

        What was looked at before is not looked at again: most sessions that have expired stay for
        days, and no client is to be told.
        """
        recently = clock.now() - _LOOK_BACK
        expired = sessions.expired_with_participants(self._database.reader, self._next_look_from)
        if expired:
            with self._database.begin() as transaction:
                sessions.end(transaction, expired)
        if len(expired) < sessions.ENDED_AT_ONCE:
            # Also where that is earlier than before, because the clock was set back.
            self._next_look_from = recently

    def _tell(self, places: ThreadPoolExecutor) -> None:
        """Begin an attempt for each client whose turn it is, and note how others have ended."""
        while not self._ended.is_set():
            self._record_what_is_done()
            if not self._turns.any_left:
                return
            is_due, attempt = self._next_attempt()
            if not is_due:
                return
            if attempt is not None:
                sent = places.submit(self._delivery.deliver, attempt.uri, attempt.token)
                self._under_way[sent] = attempt
                sent.add_done_callback(lambda _: self._work.set())

    def _record_what_is_done(self) -> None:
        for sent in [each for each in self._under_way if each.done()]:
            attempt = self._under_way.pop(sent)
            error = sent.exception()
            if error is not None:
                _log.error("telling a client of a sign-out failed unexpectedly", exc_info=error)
            self._record(attempt, sent.result() if error is None else type(error).__name__)

    def _next_attempt(self) -> tuple[bool, "_Attempt | None"]:
        """Tell whether a notice was due, and return what is to be sent for it, if anything is."""
        notice_id = logout_notices.next_due(
            self._database.reader, self._turns.last, self._turns.passed_over
        )
        if notice_id is None:
            return False, None
        with self._database.transaction() as connection:
            notice = logout_notices.take(connection, notice_id)
        if notice is None:
            # Another process was first.
            return True, None
        client = clients.find(self._database.reader, notice.client_id)
        if client is None:
            # Disabled meanwhile: the notice waits.
            return True, None
        if client.backchannel_logout_uri is None:
            # The notice is of no use any more.
            with self._database.transaction() as connection:
                logout_notices.remove(connection, notice)
            return True, None
        token = logout_token.issue(notice, client, self._settings.issuer, self._keys)
        self._turns.begin(notice.client_id)
        return True, _Attempt(notice, client.backchannel_logout_uri, token)

    def _record(self, attempt: "_Attempt", failure: str | None) -> None:
        notice = attempt.notice
        self._turns.end(notice.client_id, told=failure is None)
        if failure is not None:
            _log.warning("client %s could not be told of a sign-out: %s", notice.client_id, failure)
        with self._database.transaction() as connection:
            if failure is None:
                logout_notices.remove(connection, notice)
            elif logout_notices.postpone(connection, notice) is None:
                _log.warning("gave up telling client %s of a sign-out", notice.client_id)

    @cached_property
    def _delivery(self) -> "LogoutDelivery":
        # Imported when it is needed: most services have no client that wants to be told, and the
        # HTTP client takes five megabytes.
        from authservice.oauth.logout.delivery import LogoutDelivery  # noqa: PLC0415

        return LogoutDelivery(self._settings)


@dataclass(frozen=True, slots=True)
class _Attempt:
    """What is sent for a notice, and where."""

    notice: LogoutNotice
    uri: str
    token: str
