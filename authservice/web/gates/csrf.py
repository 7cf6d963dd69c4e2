"""Forged requests: forms carry a token of this browser, the session API a trusted Origin.

The token is derived from a cookie that only this host can set, and from the session, so that a
page made for one person cannot be answered in the name of another.
"""

from typing import Any
from urllib.parse import urlsplit

from pyramid.interfaces import ICSRFStoragePolicy
from zope.interface import implementer

from authservice.settings.hosts import origin_of
from authservice.web import routes
from authservice.web.answers import error_json
from authservice.web.request import body as request_body
from authservice.web.request.auth_request import AuthRequest

_PURPOSE = "csrf"
FIELD = "csrf_token"


def token(request: AuthRequest, *, signs_in: bool = False) -> str:
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
    """Pyramid's question for every unsafe view that does not opt out."""

    def new_csrf_token(self, request: AuthRequest) -> str:
        """Return the token: it is derived, so there is nothing new to make."""
        return token(request)

    def get_csrf_token(self, request: AuthRequest) -> str:
        """Return the token."""
        return token(request)

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
