"""The first gate (a tween): requests that cannot be read are refused before anything else.

Undecodable bytes and NULs would otherwise surface as errors deep inside, each somewhere else.
"""

from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import unquote_to_bytes

from pyramid.response import Response

from authservice import logs
from authservice.web import routes
from authservice.web.answers import error_answer
from authservice.web.request.auth_request import AuthRequest

# Far beyond any request we know but one; the web server's own limit lies above.
MAX_BODY = 64 * 1024
# Events of the provider, each about one person and all that it has to say of an organization.
_MAX_EVENT = 1024 * 1024
# An authorization request of 16 KiB grows to this when it is sealed for the pages.
MAX_QUERY = 24 * 1024


class Junk(NamedTuple):
    """What cannot be read of a request, in which part of it, and how it is refused."""

    part: str
    status: int
    message: str
    code: str


def max_body(path: str, *, takes_events: bool) -> int:
    """Return how many bytes the body of a request to this path may have.

    ``takes_events`` tells whether the service has a secret for events of the provider.
    """
    return _MAX_EVENT if takes_events and path == routes.WEBHOOK_PATH else MAX_BODY


def junk_guard(
    handler: Callable[[Any], Response],
    registry: Any,
) -> Callable[[Any], Response]:
    """Return the handler behind the gate (a Pyramid tween factory)."""

    def takes_events() -> bool:
        return registry.components.webhook_secret is not None

    def tween(request: AuthRequest) -> Response:
        logs.new_reference()
        longest = max_body(request.environ.get("PATH_INFO", ""), takes_events=takes_events())
        fault = junk(request.environ, longest)
        if fault is not None:
            return error_answer(
                routes.surface_of(request),
                fault.status,
                error="invalid_request",
                code=fault.code,
                description=fault.message,
            )
        response: Response = handler(request)
        return response

    return tween


def junk(environ: dict[str, Any], longest: int = MAX_BODY) -> Junk | None:
    """Return what is wrong with a request whatever its endpoint, or None.

    ``longest`` is how many bytes its body may have.
    """
    host = environ.get("HTTP_HOST", "")
    # Servers join what comes twice. Neither a name of DNS nor an address has a comma.
    if "," in host or (host == "" and environ["SERVER_PROTOCOL"] == "HTTP/1.1"):
        message = "A request of HTTP/1.1 must have one Host header (RFC 9112, section 3.2)"
        return Junk("host", 400, message, "BAD_REQUEST")
    query = environ.get("QUERY_STRING", "")
    if len(query) > MAX_QUERY:
        message = f"The query is longer than {MAX_QUERY} bytes"
        return Junk("query", 414, message, "URI_TOO_LONG")
    # WSGI hands the path over decoded byte by byte.
    if not _is_text(environ.get("PATH_INFO", "").encode("latin-1")):
        return Junk("path", 400, "The path is not UTF-8 text", "BAD_REQUEST")
    if ("%" in query or not query.isascii()) and not _is_text(
        unquote_to_bytes(query.encode("latin-1"))
    ):
        return Junk("query", 400, "The query is not UTF-8 text", "BAD_REQUEST")
    length = environ.get("CONTENT_LENGTH") or "0"
    if not (length.isascii() and length.isdigit()) or int(length) > longest:
        message = f"The body is longer than {longest} bytes"
        return Junk("body", 413, message, "PAYLOAD_TOO_LARGE")
    return None


def _is_text(raw: bytes) -> bool:
    try:
        return "\x00" not in raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
