"""How long each answer took, by route and status (the outermost tween, where metrics are on)."""

from collections.abc import Callable
from time import perf_counter
from typing import Any

from pyramid.response import Response

from authservice.web import routes
from authservice.web.pages import STATIC_PATH
from authservice.web.rate_limits import TooManyRequestsError

_METHODS = {"GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE"}


def measured_requests(
    handler: Callable[[Any], Response], registry: Any
) -> Callable[[Any], Response]:
    """Return the handler with a clock beside it (a Pyramid tween factory)."""
    instruments = registry.components.metrics.instruments

    def tween(request: Any) -> Response:
        began = perf_counter()
        status = 500
        try:
            response = handler(request)
            status = response.status_int
            return response
        finally:
            seconds = perf_counter() - began
            method = request.method if request.method in _METHODS else "other"
            instruments.request_duration.labels(method, _route(request), status).observe(seconds)
            error = getattr(request, "exception", None)
            if isinstance(error, TooManyRequestsError):
                instruments.rate_limit_hits.labels(error.limit).inc()

    return tween


def _route(request: Any) -> str:
    """Return the path as the table of routes writes it: never what somebody made up."""
    route = routes.of_request(request)
    if route is not None:
        return route.path
    matched = getattr(request, "matched_route", None)
    return f"{STATIC_PATH}*" if matched is not None else "none"
