"""What browsers say of how a request came about (Fetch Metadata): a navigation, or a script's.

Or that the person may go here, and has not yet: what begins or ends something is not done then.
"""

import re
from collections.abc import Callable
from typing import Any

from pyramid.response import Response
from pyramid.viewderivers import INGRESS

from authservice.web import routes
from authservice.web.answers import error_json
from authservice.web.request.auth_request import AuthRequest
from authservice.web.routes import Surface

# Chromium says "prefetch;prerender" too.
_PREFETCH = re.compile(r"\s*prefetch(?![\w.-])", re.IGNORECASE)


def unprefetched_view(view: Callable[[Any, Any], Response], info: Any) -> Any:
    """Return the view, behind an answer to prefetches where it needs one (a Pyramid view deriver).

    A browser that gets 503 asks again when the person really goes there.
    """
    route = routes.BY_NAME.get(info.options.get("route_name"))
    if route is None or route.surface is not Surface.BROWSER_PROTOCOL:
        return view

    def wrapper(context: Any, request: AuthRequest) -> Response:
        if is_prefetch(request):
            message = "A prefetch is not answered here, where a request begins or ends something"
            return error_json(503, message, "PREFETCH_REFUSED")
        return view(context, request)

    return wrapper


def is_prefetch(request: AuthRequest) -> bool:
    """Tell whether the browser asks in advance, in case the person goes here."""
    said = request.environ.get
    purpose = said("HTTP_SEC_PURPOSE") or said("HTTP_PURPOSE") or ""
    return _PREFETCH.match(purpose) is not None


def is_navigation(request: AuthRequest) -> bool:
    """Tell whether a whole tab goes here, from whatever site.

    An old browser, or a program, says nothing; no script can read what such a browser is told.
    """
    said = request.environ.get
    return bool(
        request.method == "GET"
        and said("HTTP_SEC_FETCH_MODE", "navigate") == "navigate"
        and said("HTTP_SEC_FETCH_DEST", "document") == "document"
        and not is_prefetch(request)
    )


def is_own_navigation(request: AuthRequest) -> bool:
    """Tell whether a whole tab goes here, led by the person or by a page of our site."""
    cross_site = request.environ.get("HTTP_SEC_FETCH_SITE", "none") == "cross-site"
    return is_navigation(request) and not cross_site


def includeme(config: Any) -> None:
    """Ask of every request for a view that needs it."""
    config.add_view_deriver(unprefetched_view, under=INGRESS)
