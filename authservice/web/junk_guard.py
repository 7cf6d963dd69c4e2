"""The first gate (a tween): requests that cannot be read are refused before anything else.

Undecodable bytes and NULs would otherwise surface as errors deep inside, each somewhere else.
"""

from collections.abc import Callable
from typing import Any
from urllib.parse import unquote_to_bytes

from pyramid.response import Response

from authservice import logs
from authservice.oauth.protocol_answer import NO_STORE, ProtocolAnswer, error_body
from authservice.web import routes
from authservice.web.json_answer import error_json
from authservice.web.protocol_response import protocol_response

# Far beyond any request we know; the web server's own limit lies above.
MAX_BODY = 64 * 1024
# An authorization request of 16 KiB grows to this when it is sealed for the pages.
MAX_QUERY = 24 * 1024


def junk_guard(
    handler: Callable[[Any], Response],
    _registry: object,
) -> Callable[[Any], Response]:
    """Return the handler behind the gate (a Pyramid tween factory)."""

    def tween(request: Any) -> Response:
        logs.new_reference()
        environ = request.environ
        query = environ.get("QUERY_STRING", "")
        if len(query) > MAX_QUERY:
            message = f"The query is longer than {MAX_QUERY} bytes"
            return _refusal(environ, 414, message, "URI_TOO_LONG")
        # WSGI hands the path over decoded byte by byte.
        if not _is_text(environ.get("PATH_INFO", "").encode("latin-1")):
            return _refusal(environ, 400, "The path is not UTF-8 text", "BAD_REQUEST")
        if ("%" in query or not query.isascii()) and not _is_text(
            unquote_to_bytes(query.encode("latin-1"))
        ):
            return _refusal(environ, 400, "The query is not UTF-8 text", "BAD_REQUEST")
        length = environ.get("CONTENT_LENGTH") or "0"
        if not (length.isascii() and length.isdigit()) or int(length) > MAX_BODY:
            message = f"The body is longer than {MAX_BODY} bytes"
            return _refusal(environ, 413, message, "PAYLOAD_TOO_LARGE")
        response: Response = handler(request)
        return response

    return tween


def _refusal(environ: dict[str, Any], status: int, message: str, code: str) -> Response:
    """Return the refusal in the words of the endpoint that was asked."""
    if routes.SURFACES.get(environ.get("PATH_INFO", "")) not in routes.WORDED_AS_OAUTH:
        return error_json(status, message, code)
    body = error_body("invalid_request", f"{message}.")
    return protocol_response(ProtocolAnswer(status, NO_STORE, body))


def _is_text(raw: bytes) -> bool:
    try:
        return "\x00" not in raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
