"""The cookies: their names, values and attributes. Setting and clearing stand side by side.

``session_token`` is shared with the applications below the cookie domain. ``session_host`` stays
on this host and proves that the session was begun in this browser, so that a shared cookie stolen
or planted by a sibling application is worth nothing where it matters.
"""

from collections.abc import Iterator
from datetime import timedelta
from itertools import islice

from pyramid.response import Response

from authservice.crypto.server_secret import ServerSecret
from authservice.services.sessions import sessions
from authservice.services.sessions.sessions import CentralSession
from authservice.settings import AuthSettings

_SESSION = "session cookie"
_COMPANION = "session companion cookie"
_ATTEMPT = "sign-in attempt cookie"
_ATTEMPT_LIFETIME = timedelta(minutes=10)
# Browsers keep 180 of a domain at most. What lies beyond is not read.
_MOST_COOKIES = 500
# A browser has one: no other host may set it. What is compared more often costs more.
_MOST_COMPANIONS = 5
# What browsers take for blank (RFC 6265, section 5.2). After any other character a name has no
# prefix for them: a sibling may set it.
_BLANK = " \t"


class Cookies:
    """Reads and writes the cookies of one configuration."""

    def __init__(self, settings: AuthSettings, secret: ServerSecret) -> None:
        self._secret = secret
        self._secure = settings.https
        self._domain = f".{settings.cookie_domain}" if settings.cookie_domain else None
        prefix = settings.cookie_prefix
        # The __Host- prefix forbids a Domain, so the shared cookie can only be __Secure-.
        self.session_name = f"{'__Secure-' if self._secure else ''}{prefix}.session_token"
        self._host_prefix = f"{'__Host-' if self._secure else ''}{prefix}."
        self.companion_name = f"{self._host_prefix}session_host"
        self._browser_name = f"{self._host_prefix}browser"

    def session_tokens(self, header: str) -> Iterator[str]:
        """Yield the tokens of session cookies that were signed here, each once, in the order sent.

        A sibling application may have had the browser send hundreds.
        """
        for value in dict.fromkeys(_values(header, self.session_name)):
            token, _, code = value.rpartition(".")
            if token and self._secret.verify_mac(_SESSION, token, code):
                yield token

    def has_companion_of(self, header: str, session_id: str, token: str) -> bool:
        """Tell whether the companion cookie of a session came along."""
        begun = _begun(session_id, token)
        sent = islice(_values(header, self.companion_name), _MOST_COMPANIONS)
        return any(self._secret.verify_mac(_COMPANION, begun, value) for value in sent)

    def set_session(self, response: Response, session: CentralSession, token: str) -> None:
        """Set the session cookie and its companion."""
        self.extend_session(response, session, token)
        self.extend_companion(response, session, token)

    def extend_session(self, response: Response, session: CentralSession, token: str) -> None:
        """Set the cookie of a session that was extended just now, until that ends."""
        value = f"{token}.{self._secret.mac(_SESSION, token)}"
        self._set_session(response, value, _lifetime(session))

    def extend_companion(self, response: Response, session: CentralSession, token: str) -> None:
        """Set the companion of a session that was extended just now, until that ends."""
        value = self._secret.mac(_COMPANION, _begun(session.id, token))
        self._set_companion(response, value, _lifetime(session))

    def clear_session(self, response: Response) -> None:
        """Clear both cookies, with the attributes with which they were set."""
        self._set_session(response, "", timedelta())
        self._set_companion(response, "", timedelta())

    def browser(self, header: str) -> str | None:
        """Return the random value that names this browser to us."""
        return next(_values(header, self._browser_name), None)

    def set_browser(self, response: Response, value: str) -> None:
        """Give the browser its name, until it is closed."""
        self._set_host(response, self._browser_name, value, None)

    def set_attempt(self, response: Response, attempt_id: str) -> None:
        """Bind a sign-in attempt to this browser; each attempt has a cookie of its own."""
        value = self._secret.mac(_ATTEMPT, attempt_id)
        self._set_host(response, self._attempt_name(attempt_id), value, _ATTEMPT_LIFETIME)

    def has_attempt(self, header: str, attempt_id: str) -> bool:
        """Tell whether a sign-in attempt was begun in this browser."""
        return any(
            self._secret.verify_mac(_ATTEMPT, attempt_id, value)
            for value in _values(header, self._attempt_name(attempt_id))
        )

    def clear_attempt(self, response: Response, attempt_id: str) -> None:
        """Forget a sign-in attempt."""
        self._set_host(response, self._attempt_name(attempt_id), "", timedelta())

    def _attempt_name(self, attempt_id: str) -> str:
        return f"{self._host_prefix}sign_in.{attempt_id[:12]}"

    def _set_session(self, response: Response, value: str, lifetime: timedelta) -> None:
        response.set_cookie(
            self.session_name,
            value,
            max_age=lifetime,
            path="/",
            domain=self._domain,
            secure=self._secure,
            httponly=True,
            samesite="Lax",
        )

    def _set_companion(self, response: Response, value: str, lifetime: timedelta) -> None:
        self._set_host(response, self.companion_name, value, lifetime)

    def _set_host(
        self, response: Response, name: str, value: str, lifetime: timedelta | None
    ) -> None:
        response.set_cookie(
            name,
            value,
            max_age=lifetime,
            path="/",
            secure=self._secure,
            httponly=True,
            samesite="Lax",
        )


def _begun(session_id: str, token: str) -> str:
    """Return the content of the companion: a session, and the sign-in that renewed it."""
    return f"{session_id}{token}" if sessions.is_renewed(token) else session_id


def _lifetime(session: CentralSession) -> timedelta:
    return session.expires_at - session.updated_at


def _values(header: str, name: str) -> Iterator[str]:
    """Yield every value of a name: a sibling may have set a second cookie of the same name."""
    prefix = f"{name}="
    for part in header.split(";", _MOST_COOKIES)[:_MOST_COOKIES]:
        pair = part.strip(_BLANK)
        if pair.startswith(prefix):
            yield pair[len(prefix) :].strip('"')
