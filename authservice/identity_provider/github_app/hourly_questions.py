"""How many questions the provider still takes of the App in this hour, in each organization.

A quarter of them is kept for sign-ins, and for those who are said to have left: before that, lists
and other events wait for the next hour. An answer that nothing changed is none of them.
"""

import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from authservice import clock
from authservice.httpclient import Client, Request, Response
from authservice.identity_provider import SignInFailedError
from authservice.identity_provider.github_app.known_pages import UnreadableError
from authservice.identity_provider.provider_calls import Pauses, PausingCalls

_log = logging.getLogger(__name__)

_UNCHANGED = 304
_KEPT = 4  # one of so many
_KEPT_BACK = "questions_kept"
_LONGEST_NUMBER = 11


@dataclass(frozen=True, slots=True)
class _Hour:
    limit: int
    left: int
    ends_at: datetime

    @property
    def is_short(self) -> bool:
        return self.left * _KEPT <= self.limit


class HourlyQuestions:
    """What answers said last; several threads may ask."""

    def __init__(self) -> None:
        self._organizations: Mapping[str, str] = {}
        self._hours: dict[str, _Hour] = {}

    def know(self, token: str, organization: str) -> None:
        """Note the organization whose questions a new token asks; its former token is forgotten."""
        others = {key: name for key, name in self._organizations.items() if name != organization}
        self._organizations = {**others, f"Bearer {token}": organization}

    @property
    def left(self) -> dict[str, int]:
        """Return how many are left by the name of the organization, where any were asked."""
        return {name: hour.left for name, hour in self._hours.copy().items()}

    def require_more_than_kept(self, request: Request) -> None:
        """Raise UnreadableError where no more are left than what is kept."""
        hour = self._hours.get(self._organization(request))
        if hour is not None and hour.is_short and clock.now() < hour.ends_at:
            raise UnreadableError(_KEPT_BACK)

    def note(self, request: Request, response: Response) -> None:
        """Take note of what an answer says is left; the first time that it is little, warn."""
        organization = self._organization(request)
        limit, left, ends_at = (
            _number(response, f"X-RateLimit-{name}") for name in ("Limit", "Remaining", "Reset")
        )
        if not organization or limit is None or left is None or ends_at is None:
            return
        former = self._hours.get(organization)
        hour = _Hour(limit, left, datetime.fromtimestamp(ends_at, UTC))
        self._hours[organization] = hour
        if hour.is_short and not (former and former.is_short):
            _log.warning(
                "%d of the hour's %d questions about %s are left. They are kept for sign-ins and"
                " for who leaves: lists of members and other events wait until %s",
                left,
                limit,
                organization,
                f"{hour.ends_at:%Y-%m-%dT%H:%M:%SZ}",
            )

    def _organization(self, request: Request) -> str:
        return self._organizations.get(request.headers.get("Authorization", ""), "")


class AppCalls(PausingCalls):
    """Sends the questions of one purpose."""

    def __init__(
        self,
        client: Client,
        seconds: float,
        pauses: Pauses,
        hours: HourlyQuestions,
        *,
        may_use_all: bool,
        most: int | None,
    ) -> None:
        super().__init__(client, seconds, pauses)
        self._hours = hours
        self._may_use_all = may_use_all
        self._most = most
        self._lock = threading.Lock()
        self.asked = 0
        """How many questions were sent, without those whose answer was that nothing changed."""

    def send(self, request: Request) -> Response:
        """Return the answer as its base does; several threads may ask.

        Raises SignInFailedError after as many questions as may be asked, which is no outage, and
        UnreadableError where the rest of the hour is kept for others.
        """
        if not self._may_use_all:
            self._hours.require_more_than_kept(request)
        with self._lock:
            if self._most is not None and self.asked >= self._most:
                message = "no more questions are asked for this"
                raise SignInFailedError("provider_unavailable", message)
            self.asked += 1
        response = super().send(request)
        if response.status_code == _UNCHANGED:
            with self._lock:
                self.asked -= 1
        self._hours.note(request, response)
        return response


def _number(response: Response, header: str) -> int | None:
    text = response.headers.get(header, [""])[0]
    is_number = text.isascii() and text.isdecimal() and len(text) <= _LONGEST_NUMBER
    return int(text) if is_number else None
