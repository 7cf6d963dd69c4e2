"""The headers that every answer carries (a tween); pages bring their own content policy."""

from collections.abc import Callable
from typing import Any

from pyramid.response import Response

# Two years, as browsers' preload lists ask; not for subdomains, which are not ours to speak for.
_HSTS = "max-age=63072000"


def security_headers(
    handler: Callable[[Any], Response],
    registry: Any,
) -> Callable[[Any], Response]:
    """Return the handler with the security headers added (a Pyramid tween factory)."""
    headers = [
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("X-Frame-Options", "DENY"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
    ]
    if registry.components.settings.https:
        headers.append(("Strict-Transport-Security", _HSTS))

    def tween(request: Any) -> Response:
        response = handler(request)
        response.headerlist.extend(headers)
        return response

    return tween
