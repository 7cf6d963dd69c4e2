"""Cross-origin answers (a tween): open for programs, credentialed for our own applications.

Errors carry the headers too: without them a browser hides from its application what went wrong.
"""

from collections.abc import Callable
from typing import Any

from pyramid.response import Response

from authservice.web import routes
from authservice.web.routes import Route, Surface

_MAX_AGE = "600"


def cors(
    handler: Callable[[Any], Response],
    registry: Any,
) -> Callable[[Any], Response]:
    """Return the handler with the cross-origin headers added (a Pyramid tween factory)."""

    def tween(request: Any) -> Response:
        response = handler(request)
        route = routes.of_request(request)
        if route is None:
            return response
        headers = response.headerlist
        if route.surface is Surface.PROTOCOL:
            headers.append(("Access-Control-Allow-Origin", "*"))
            headers.append(("Access-Control-Expose-Headers", "WWW-Authenticate, Retry-After"))
        elif route.surface is Surface.SESSION_API:
            headers.append(("Vary", "Origin"))
            origin = request.environ.get("HTTP_ORIGIN")
            if origin is not None and registry.components.origins.trusts(origin):
                headers.append(("Access-Control-Allow-Origin", origin))
                headers.append(("Access-Control-Allow-Credentials", "true"))
                headers.append(("Access-Control-Expose-Headers", "Retry-After"))
        return response

    return tween


def preflight(request: Any, route: Route) -> Response | None:
    """Return the answer to a preflight request, or None where there is none to give."""
    is_preflight = (
        request.method == "OPTIONS"
        and "HTTP_ORIGIN" in request.environ
        and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in request.environ
    )
    if not is_preflight or route.surface not in {Surface.PROTOCOL, Surface.SESSION_API}:
        return None
    if route.surface is Surface.SESSION_API and not request.components.origins.trusts(
        request.environ["HTTP_ORIGIN"]
    ):
        return None
    response = Response(status=204)
    response.headers["Access-Control-Allow-Methods"] = ", ".join(route.methods)
    response.headers["Access-Control-Allow-Headers"] = "authorization, content-type"
    response.headers["Access-Control-Max-Age"] = _MAX_AGE
    return response
