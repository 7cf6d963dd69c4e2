"""The organizations that the App is installed in, and its tokens for each.

A token is good for an hour. It stays in memory until shortly before, and is written nowhere.
"""

import logging
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import quote

from authservice import clock, outgoing
from authservice.crypto.jwt import AppKey
from authservice.httpclient import Client, Timeouts
from authservice.identity_provider import github_groups, reasons
from authservice.identity_provider.github_app.hourly_questions import AppCalls, HourlyQuestions
from authservice.identity_provider.github_app.known_pages import UnreadableError
from authservice.identity_provider.github_profile import account_number
from authservice.identity_provider.provider_calls import GitHubApi, Pauses, ProviderCalls, parsed
from authservice.services.people.memberships import Group
from authservice.settings import GitHubAppSettings, OutgoingSettings, ProviderSettings

_log = logging.getLogger(__name__)

_OK, _CREATED = 200, 201
_PAGES = 20
_MAX_BODY_BYTES = 4 * 1024 * 1024
_CALL_SECONDS = 5.0
# Of the time that several have together.
_OF_ONE_CALL = 0.3
# An installation or its end is noticed so much later, without a webhook.
_LIST_COUNTS_FOR = timedelta(minutes=5)
# A question that begins with a token must end with it.
_BEFORE_ITS_END = timedelta(minutes=5)
_SUSPENDED = "suspended"
REFUSED = "app_refused"
"""The provider does not know the App, or not by this key."""
NOT_INSTALLED = "not_installed"
"""The App is not installed in the organization."""


@dataclass(frozen=True, slots=True)
class Installation:
    """The App in one organization."""

    id: str
    organization: Group
    refuses: str | None
    """Why nothing can be read there, or None."""


class Installations:
    """Asks in the name of the App; several threads may."""

    def __init__(
        self, provider: ProviderSettings, app: GitHubAppSettings, reached: OutgoingSettings
    ) -> None:
        self._api_url = provider.api_url
        self._key = AppKey(app.id, app.private_key)
        self._reached = reached
        self._clients: dict[float, Client] = {}
        self._lock = threading.Lock()
        self._listed: tuple[datetime, tuple[Installation, ...]] | None = None
        self._tokens: dict[str, tuple[datetime, str]] = {}
        self._pauses = Pauses()
        self.hours = HourlyQuestions()
        """What is left of the questions of an hour."""

    def calls(
        self, seconds: float, *, may_use_all: bool = True, most: int | None = None
    ) -> AppCalls:
        """Return what sends questions for so long and no longer, and no more than ``most``.

        Unless it may use all of an hour it leaves what is kept for sign-ins and departures.
        """
        call = min(_CALL_SECONDS, seconds * _OF_ONE_CALL)
        with self._lock:
            if call not in self._clients:
                timeouts = Timeouts(connect=call, read=call, total=call)
                made = outgoing.client(self._reached, timeouts, _MAX_BODY_BYTES)
                self._clients[call] = made
            client = self._clients[call]
        return AppCalls(
            client, seconds, self._pauses, self.hours, may_use_all=may_use_all, most=most
        )

    def registration(self, calls: ProviderCalls) -> dict[str, object] | None:
        """Return what the provider knows of the App; None if it does not know it by this key.

        Raises SignInFailedError in an outage.
        """
        response = self.api(calls, self._key.token(clock.now())).get("/app")
        content = parsed(response)
        return content if response.status_code == _OK and isinstance(content, dict) else None

    def all(self, calls: ProviderCalls) -> tuple[Installation, ...]:
        """Return every installation; raises UnreadableError, and SignInFailedError in an outage."""
        now = clock.now()
        listed = self._listed
        if listed is not None and listed[0] <= now < listed[0] + _LIST_COUNTS_FOR:
            return listed[1]
        installations = tuple(self._read(calls))
        self._listed = (now, installations)
        return installations

    def require(self, calls: ProviderCalls, known: Installation) -> None:
        """Return if the App is installed in an organization now as it was listed.

        Where it is not, every question is answered with 404. Raises UnreadableError then, and
        SignInFailedError in an outage.
        """
        api = self.api(calls, self._key.token(clock.now()))
        response = api.get(f"/app/installations/{known.id}")
        if response.status_code != _OK or _installation(parsed(response)) != known:
            self.forget()
            raise UnreadableError(reasons.GONE)

    def forget(self) -> None:
        """Ask again for the installations, and for tokens: something changed there."""
        self._listed = None
        with self._lock:
            self._tokens.clear()

    def token(self, calls: ProviderCalls, installation: Installation) -> str | None:
        """Return a token for an organization; None where there is none, which is no outage."""
        with self._lock:
            known = self._tokens.get(installation.id)
        if known is not None and clock.now() < known[0]:
            return known[1]
        path = f"/app/installations/{installation.id}/access_tokens"
        made = self.api(calls, self._key.token(clock.now())).post(path)
        content = parsed(made)
        if made.status_code != _CREATED or not isinstance(content, dict):
            return None
        token, expires_at = content.get("token"), _moment(content.get("expires_at"))
        if not isinstance(token, str) or not token or not token.isascii():
            return None
        with self._lock:
            self._tokens[installation.id] = (expires_at - _BEFORE_ITS_END, token)
            self.hours.know(token, installation.organization.name)
        return token

    def api(self, calls: ProviderCalls, token: str) -> GitHubApi:
        """Return what asks under a token."""
        return GitHubApi(calls, self._api_url, token)

    def _read(self, calls: ProviderCalls) -> Iterator[Installation]:
        api = self.api(calls, self._key.token(clock.now()))
        for response in api.pages("/app/installations", _PAGES):
            entries = github_groups.entries(response) if response.status_code == _OK else None
            if entries is None:
                _log.warning("the provider refuses the App: status %d", response.status_code)
                raise UnreadableError(REFUSED)
            yield from filter(None, map(_installation, entries))


def _installation(entry: object) -> Installation | None:
    if not isinstance(entry, dict):
        return None
    number = account_number(entry.get("id"))
    organization = github_groups.organization(entry.get("account"))
    if number is None or organization is None or entry.get("target_type") == "User":
        return None
    permissions = entry.get("permissions")
    allowed = permissions.get("members") if isinstance(permissions, dict) else None
    refuses = None if allowed in {"read", "write"} else reasons.FORBIDDEN
    return Installation(
        quote(number), organization, _SUSPENDED if entry.get("suspended_at") else refuses
    )


def _moment(text: object) -> datetime:
    """Return when a token ends; soon where that is not said."""
    try:
        moment = datetime.fromisoformat(str(text))
    except ValueError:
        moment = clock.now()
    return moment if moment.tzinfo is not None else clock.now()
