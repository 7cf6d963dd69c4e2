"""Answers for programs: ready JSON, an error in the words of the surface, and redirects."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any

from pyramid.response import Response

from authservice.crypto.compact_json import compact
from authservice.oauth.protocol_answer import NO_STORE, ProtocolAnswer, error_body
from authservice.web.routes import Surface

_OK = 200
_CHALLENGE = 'Cookie realm="authservice"'
_OFFSET = len("+00:00")
WORDED_AS_OAUTH = {Surface.PROTOCOL, Surface.DOCUMENT}
"""Where errors look as those of RFC 6749, section 5.2, do."""
# Where nobody can read a page.
_WORDED_AS_SESSION_API = {Surface.SESSION_API, Surface.PROVIDER, Surface.PROXY}


class ReadyAnswer(Response):  # type: ignore[misc]  # Pyramid has no types
    """An answer of ready bytes that leads nowhere else: nothing is left to do when it is sent.

    WebOb would look among its headers for a length, and for an address to complete.
    """

    def __init__(self, body: bytes, headers: list[tuple[str, str]], status: int = _OK) -> None:
        headers.append(("Content-Length", str(len(body))))
        super().__init__(
            app_iter=[body], status=None if status == _OK else status, headerlist=headers
        )

    def __call__(
        self, environ: dict[str, Any], start_response: Callable[..., object]
    ) -> Iterable[bytes]:
        """Send it, without the body for HEAD."""
        start_response(self.status, self.headerlist)
        answered: Iterable[bytes] = self.app_iter
        return [] if environ["REQUEST_METHOD"] == "HEAD" else answered


def protocol_response(answer: ProtocolAnswer) -> Response:
    """Return an endpoint's answer; without a body there is no Content-Type either."""
    headers = list(answer.headers.items())
    if answer.content_type is not None:
        headers.append(("Content-Type", answer.content_type))
    return ReadyAnswer(answer.body.encode(), headers, answer.status)


def json_answer(content: Any, status: int = 200) -> Response:
    """Return content as JSON that no cache may store."""
    headers = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
    return ReadyAnswer(compact(content).encode(), headers, status)


def error_answer(
    surface: Surface | None,
    status: int,
    *,
    error: str,
    code: str,
    description: str,
    page: Callable[[], Response] | None = None,
) -> Response:
    """Return an error as callers of the surface expect it.

    OAuth clients get ``error`` and the description as a sentence, those of the session API the
    description and ``code``. People get the ``page``, or where there is none the same as the
    session API.
    """
    if surface in WORDED_AS_OAUTH:
        body = error_body(error, f"{description.removesuffix('.')}.")
        return protocol_response(ProtocolAnswer(status, NO_STORE, body))
    if page is None or surface in _WORDED_AS_SESSION_API:
        return error_json(status, description, code)
    return page()


def error_json(status: int, message: str, code: str) -> Response:
    """Return an error as the session API words it, and as its npm client expects it."""
    return json_answer({"message": message, "code": code}, status)


def unauthorized(challenge: str = _CHALLENGE) -> Response:
    """Return that the endpoint needs a session, and there is none that counts here."""
    response = error_json(401, "Unauthorized", "UNAUTHORIZED")
    # Every 401 names a scheme (RFC 9110, 15.5.2). For this one no browser asks for a password.
    response.headers["WWW-Authenticate"] = challenge
    return response


def iso_date(moment: datetime) -> str:
    """Return a moment as ISO 8601 in UTC with milliseconds."""
    return f"{moment.astimezone(UTC).isoformat('T', 'milliseconds')[:-_OFFSET]}Z"


def see_other(location: str) -> Response:
    """Return a 303 to an address that the caller has checked."""
    response = Response(status=303)
    response.headers.pop("Content-Type", None)
    # Set as it is: the client compares its redirect URI character by character.
    response.headers["Location"] = location
    response.headers["Cache-Control"] = "no-store"
    return response
