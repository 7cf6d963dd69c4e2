"""The headers of answers (tweens): who may read them across origins, and what browsers may do.

Errors carry them too: without them a browser hides from its application what went wrong. Pages
bring their own content policy.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any

from pyramid.response import Response

from authservice.web import routes
from authservice.web.request.auth_request import AuthRequest
from authservice.web.routes import Surface

_MAX_AGE = "600"
# Names of headers, as a preflight lists them (RFC 9110, section 5.6.2).
_TOKEN = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"
_NAMES = re.compile(rf"{_TOKEN}(?: *, *{_TOKEN})*")
_LONGEST_NAMES = 1024
_USUAL_NAMES = "authorization, content-type"
# What pages of every origin may read, and which headers in addition to the common ones.
_OPEN = {Surface.PROTOCOL, Surface.DOCUMENT}
_FOR_EVERYBODY = "WWW-Authenticate, Retry-After"
# Where a page of ours may send its credentials along, as the npm client does with every request.
_WITH_CREDENTIALS = {Surface.SESSION_API, Surface.DOCUMENT}


def cors(
    handler: Callable[[Any], Response],
    registry: Any,
) -> Callable[[Any], Response]:
    """Return the handler with the cross-origin headers added (a Pyramid tween factory)."""

    def tween(request: AuthRequest) -> Response:
        response = handler(request)
        surface = routes.surface_of(request)
        headers = response.headerlist
        exposed = _FOR_EVERYBODY if surface in _OPEN else "Retry-After"
        if surface in _WITH_CREDENTIALS:
            headers.append(("Vary", "Origin"))
            origin = request.environ.get("HTTP_ORIGIN")
            if origin is not None and registry.components.origins.trusts(origin):
                headers.append(("Access-Control-Allow-Origin", origin))
                headers.append(("Access-Control-Allow-Credentials", "true"))
                headers.append(("Access-Control-Expose-Headers", exposed))
                return response
        if surface in _OPEN:
            headers.append(("Access-Control-Allow-Origin", "*"))
            headers.append(("Access-Control-Expose-Headers", exposed))
        return response

    return tween


def preflight(request: AuthRequest, methods: Sequence[str]) -> Response | None:
    """Return the answer to a preflight request, or None where there is none to give."""
    is_preflight = (
        request.method == "OPTIONS"
        and "HTTP_ORIGIN" in request.environ
        and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in request.environ
    )
    surface = routes.surface_of(request)
    if not is_preflight or surface not in _OPEN | _WITH_CREDENTIALS:
        return None
    if surface not in _OPEN and not request.components.origins.trusts(
        request.environ["HTTP_ORIGIN"]
    ):
        return None
    response = Response(status=204)
    response.headers["Access-Control-Allow-Methods"] = ", ".join(methods)
    wanted = request.environ.get("HTTP_ACCESS_CONTROL_REQUEST_HEADERS", "")
    readable = len(wanted) <= _LONGEST_NAMES and _NAMES.fullmatch(wanted)
    response.headers["Access-Control-Allow-Headers"] = wanted if readable else _USUAL_NAMES
    response.vary = ["Access-Control-Request-Headers"]
    response.headers["Access-Control-Max-Age"] = _MAX_AGE
    return response


Handler = Callable[[Any], Response]

_HEADERS = [
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("X-Frame-Options", "DENY"),
]
# Two years, as browsers' preload lists ask; not for subdomains, which are not ours to speak for.
_HSTS = ("Strict-Transport-Security", "max-age=63072000")


def http_headers(handler: Handler, _registry: object) -> Handler:
    """Return the handler with the security headers added (a Pyramid tween factory)."""
    return _with(handler, _HEADERS)


def https_headers(handler: Handler, _registry: object) -> Handler:
    """Return the handler with these headers and that of RFC 6797 (a Pyramid tween factory)."""
    return _with(handler, [*_HEADERS, _HSTS])


def _with(handler: Handler, headers: list[tuple[str, str]]) -> Handler:
    def tween(request: AuthRequest) -> Response:
        response = handler(request)
        response.headerlist.extend(headers)
        return response

    return tween
