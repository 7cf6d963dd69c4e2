"""The headers that every answer carries (tweens); pages bring their own content policy."""

from collections.abc import Callable
from typing import Any

from pyramid.response import Response

from authservice.web.request.auth_request import AuthRequest

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
