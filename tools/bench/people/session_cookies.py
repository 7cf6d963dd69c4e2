"""The Cookie header of a user who is signed in, made with the service's secret."""

from collections.abc import Mapping
from datetime import UTC, datetime

from pyramid.response import Response

from authservice.crypto.server_secret import ServerSecret
from authservice.services.people.users import User
from authservice.services.sessions.sessions import CentralSession
from authservice.settings import load_settings
from authservice.web.request.cookies import Cookies

_THEN = datetime.fromtimestamp(0, UTC)
_SOMEBODY = User("", "", "", email_verified=True, image=None, created_at=_THEN, updated_at=_THEN)


class SessionCookies:
    """Signs sessions as the service of an environment does."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        settings = load_settings({"auth.mode": "local"}, environment)
        if settings.auth_secret is None:
            raise ValueError("the environment names no AUTH_SECRET_FILE")
        self._cookies = Cookies(settings, ServerSecret(settings.auth_secret))

    def header(self, session_id: str, token: str) -> str:
        """Return what the browser in which a session was begun sends."""
        response = Response()
        session = CentralSession(session_id, _THEN, _THEN, _THEN, None, None, _SOMEBODY)
        self._cookies.set_session(response, session, token)
        set_cookies = response.headers.getall("Set-Cookie")
        return "; ".join(cookie.partition(";")[0] for cookie in set_cookies)
