"""Each request as a span (the outermost tween, where traces are on)."""

from collections.abc import Callable
from typing import Any

from pyramid.response import Response

from authservice.web import routes
from authservice.web.request.auth_request import AuthRequest

# What OpenTelemetry's conventions write for a method that is none of HTTP's own.
_OTHER = "_OTHER"


def traced_requests(handler: Callable[[Any], Response], registry: Any) -> Callable[[Any], Response]:
    """Return the handler inside a span (a Pyramid tween factory)."""

    def tween(request: AuthRequest) -> Response:
        tracing = registry.components.tracing
        with tracing.request(routes.known_method(request) or _OTHER, request.headers) as answered:
            try:
                response = handler(request)
                answered.status = response.status_int
                return response
            finally:
                answered.route = routes.known_path(request)

    return tween
