"""Where a request comes from: a form of ours, a page of a trusted origin, the person who goes here.

Forms carry a token of this browser. It is derived from a cookie that only this host can set, and
from the session, so that a page made for one person cannot be answered in the name of another.
The session API asks for a trusted Origin. Browsers say of each request whether it is a navigation,
or is sent in advance (Fetch Metadata): what begins or ends something is not done then.
"""

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from pyramid.interfaces import ICSRFStoragePolicy
from pyramid.response import Response
from pyramid.viewderivers import INGRESS
from zope.interface import implementer

from authservice.settings.hosts import origin_of
from authservice.web import routes
from authservice.web.answers import error_json
from authservice.web.request import body as request_body
from authservice.web.request.auth_request import AuthRequest
from authservice.web.routes import Surface

_PURPOSE = "csrf"
FIELD = "csrf_token"


def form_token(request: AuthRequest, *, signs_in: bool = False) -> str:
    """Return the token for a form on a page of this browser; that of POST /sign-in signs in."""
    subject = _subject(request, request.browser, signs_in=signs_in)
    return request.components.secret.mac(_PURPOSE, subject)


def _subject(request: AuthRequest, browser: str, *, signs_in: bool) -> str:
    if signs_in:
        # A sign-in page that is still open when another tab has signed in must continue to work.
        return browser
    session = request.confirmed_session
    return f"{browser} {session.id if session else ''}"


@implementer(ICSRFStoragePolicy)
class FormTokens:
    """The policy that Pyramid asks for every unsafe view that does not opt out."""

    def new_csrf_token(self, request: AuthRequest) -> str:
        """Return the token: it is derived, so there is nothing new to make."""
        return form_token(request)

    def get_csrf_token(self, request: AuthRequest) -> str:
        """Return the token."""
        return form_token(request)

    def check_csrf_token(self, request: AuthRequest, _supplied: str) -> bool:
        """Tell whether the form carries this browser's token."""
        browser = request.known_browser
        fields = dict(request_body.form_pairs(request))
        route = routes.of_request(request)
        signs_in = route is not None and route.name == "sign_in"
        return browser is not None and request.components.secret.verify_mac(
            _PURPOSE, _subject(request, browser, signs_in=signs_in), fields.get(FIELD, "")
        )


def refused_origin(request: AuthRequest) -> Any | None:
    """Return the refusal of a session API request that another site may have caused, or None.

    A program that sends no cookie acts for no person and need not say where it comes from.
    Browsers always say it: the form of a foreign page brings no cookies along, since they are
    SameSite, but the browser would obey an answer that clears them.
    """
    if not request.cookie_header and "HTTP_ORIGIN" not in request.environ:
        return None
    origin = request.environ.get("HTTP_ORIGIN") or _referring_origin(request)
    if origin is None or origin == "null":
        return error_json(
            403, "Missing or null Origin: send the Origin header", "MISSING_OR_NULL_ORIGIN"
        )
    if not request.components.origins.trusts(origin):
        return error_json(403, "Invalid origin: it is not a trusted one", "INVALID_ORIGIN")
    return None


def _referring_origin(request: AuthRequest) -> str | None:
    referrer = request.environ.get("HTTP_REFERER", "")
    try:
        return origin_of(referrer) if urlsplit(referrer).netloc else None
    except ValueError:
        return None


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
