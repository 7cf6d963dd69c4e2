"""Each request as metrics and traces know it (the outermost tweens, where one of them is on)."""

from collections.abc import Callable
from time import perf_counter
from typing import Any

from pyramid.response import Response

from authservice.web import routes
from authservice.web.request.auth_request import AuthRequest
from authservice.web.request.counts import TooManyRequestsError


def measured_requests(
    handler: Callable[[Any], Response], registry: Any
) -> Callable[[Any], Response]:
    """Return the handler with a clock beside it (a Pyramid tween factory)."""

    def tween(request: AuthRequest) -> Response:
        instruments = registry.components.metrics.instruments
        began = perf_counter()
        status = 500
        try:
            response = handler(request)
            status = response.status_int
            return response
        finally:
            seconds = perf_counter() - began
            method = routes.known_method(request) or "other"
            route = routes.known_path(request) or "none"
            instruments.request_duration.labels(method, route, status).observe(seconds)
            error = getattr(request, "exception", None)
            if isinstance(error, TooManyRequestsError):
                instruments.rate_limit_hits.labels(error.limit).inc()

    return tween


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
