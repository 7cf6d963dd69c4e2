"""JSON answers of the session API, in the shape that its npm client expects."""

from datetime import UTC, datetime
from typing import Any

from pyramid.response import Response

from authservice.crypto.compact_json import compact
from authservice.web.ready_answer import ReadyAnswer

_CHALLENGE = 'Cookie realm="authservice"'
_OFFSET = len("+00:00")


def json_answer(content: Any, status: int = 200) -> Response:
    """Return content as JSON that no cache may store."""
    headers = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
    return ReadyAnswer(compact(content).encode(), headers, status)


def error_json(status: int, message: str, code: str) -> Response:
    """Return an error as the session API words it."""
    return json_answer({"message": message, "code": code}, status)


def unauthorized() -> Response:
    """Return that the endpoint needs a session, and there is none that counts here."""
    response = error_json(401, "Unauthorized", "UNAUTHORIZED")
    # Every 401 names a scheme (RFC 9110, 15.5.2). For this one no browser asks for a password.
    response.headers["WWW-Authenticate"] = _CHALLENGE
    return response


def iso_date(moment: datetime) -> str:
    """Return a moment as ISO 8601 in UTC with milliseconds."""
    return f"{moment.astimezone(UTC).isoformat('T', 'milliseconds')[:-_OFFSET]}Z"
