"""How often an address or a session may ask, in production: which requests count, and how many."""

from collections.abc import Callable
from math import ceil
from typing import Any

from limits import RateLimitItem
from pyramid.response import Response

from authservice.services.sessions import sessions
from authservice.web import routes
from authservice.web.gates.provenance import unprefetched_view
from authservice.web.gates.rate_limits.by_client import counted_by_outcome
from authservice.web.gates.rate_limits.senders import count, count_unknown, limit_of, require_room
from authservice.web.request.auth_request import AuthRequest
from authservice.web.routes import Counted, Route, Surface

_NOT_HERE = (Counted.NONE, Counted.BY_VIEW)
# Windows, in seconds.
_MOMENT = 10
_MINUTE = 60
# Of the requests that proxies ask about, each page being several: those without a session.
_FORWARDED_WITHOUT_SESSION = 1000
_LOOKED_UP = "forwarded with an ended session"
# Of what a sign-in stores, in bytes. What strangers begin should not fill the disk.
_BYTES_OF_ONE = 2048


def rate_limited_view(view: Callable[[Any, Any], Response], info: Any) -> Any:
    """Return the view with the counting before it (a Pyramid view deriver)."""
    if info.exception_only:
        return view

    def wrapper(context: Any, request: AuthRequest) -> Response:
        route = routes.of_request(request)
        name, counted = ("static", Counted.OTHER) if route is None else (route.name, route.counted)
        if counted is Counted.CLIENTS:
            return counted_by_outcome(view, context, request)
        if counted is Counted.UNKNOWN_SESSIONS:
            if _presents_unknown_session(request):
                count_unknown(request)
        elif counted not in _NOT_HERE and (
            counted is not Counted.SESSIONS or _session_tokens(request)
        ):
            count(request, _limit(request, counted), name)
        if route is not None:
            _count_of_session(request, route)
        return view(context, request)

    return wrapper


def _session_tokens(request: AuthRequest) -> list[str]:
    return list(request.cookies_of_service.session_tokens(request.cookie_header))


def _presents_unknown_session(request: AuthRequest) -> bool:
    """Tell whether cookies that were signed here name sessions, and none that is stored."""
    if request.stored_session is not None:
        return False
    tokens = _session_tokens(request)
    return bool(tokens) and not sessions.ids_of_tokens(request.db_readonly, tokens)


def _count_of_session(request: AuthRequest, route: Route) -> None:
    """Count what is signed or written for a session, from all addresses together."""
    limits = request.components.rate_limits
    if limits is None or not (request.method == "POST" or route.get_counts):
        return
    if request.method != "POST" and route.surface is Surface.SESSION_API:
        session = request.central_session
    else:
        # A sibling application has the shared cookie alone. It writes nothing with it, and must
        # not use up the person's own share.
        session = request.confirmed_session
    if session is not None:
        limit = limit_of(request.auth_settings.request_limits.session_requests, _MINUTE)
        limits.count(limit, route.name, session.id)


def count_begun_sign_in(request: AuthRequest, stored: int) -> None:
    """Count a sign-in that begins; raises TooManyRequestsError for one that is too many.

    One that stores many bytes counts as several.
    """
    limit = _begun_sign_ins(request)
    count(request, limit, "begun_sign_ins", cost=min(ceil(stored / _BYTES_OF_ONE), limit.amount))


def count_callback(request: AuthRequest, attempt_id: str | None) -> None:
    """Count a callback for the attempt that it finishes; raises TooManyRequestsError.

    Its address was counted when the attempt began. So people behind one address come back however
    many they are, and whatever others send from there: a callback that finishes no attempt of its
    browser (None) counts for the address, apart from these.
    """
    limits = request.components.rate_limits
    if attempt_id is None:
        count(request, _begun_sign_ins(request), "callback")
    elif limits is not None:
        limits.count(_begun_sign_ins(request), "callback", "attempt", attempt_id)


def _begun_sign_ins(request: AuthRequest) -> RateLimitItem:
    return limit_of(request.auth_settings.request_limits.begun_sign_ins, _MOMENT)


def _limit(request: AuthRequest, counted: Counted) -> RateLimitItem:
    limits = request.auth_settings.request_limits
    if counted is Counted.SIGN_IN:
        return _begun_sign_ins(request)
    if counted is Counted.AUTHORIZATION:
        return limit_of(limits.authorization_requests, _MINUTE)
    return limit_of(limits.other_requests, _MOMENT)


def require_room_for_look_up(request: AuthRequest) -> None:
    """Raise TooManyRequestsError where an address has shown too many cookies without a session."""
    require_room(request, limit_of(_FORWARDED_WITHOUT_SESSION, _MOMENT), _LOOKED_UP)


def count_without_session(request: AuthRequest, *, looked_up: bool) -> None:
    """Count a forwarded request without a session; raises TooManyRequestsError.

    One whose cookie cost a look-up counts apart: others at its address that send none do not keep
    it from being looked up.
    """
    limit = limit_of(_FORWARDED_WITHOUT_SESSION, _MOMENT)
    count(request, limit, _LOOKED_UP if looked_up else "forwarded without a cookie")


def count_unsigned_event(request: AuthRequest) -> None:
    """Count an event that the provider did not sign; raises TooManyRequestsError.

    What it did sign is never held back, whatever others send from its address.
    """
    limit = limit_of(request.auth_settings.request_limits.client_failures, _MINUTE)
    count(request, limit, "unsigned events")


def includeme(config: Any) -> None:
    """Count every request for a view."""
    # What is not done does not count.
    config.add_view_deriver(rate_limited_view, under=unprefetched_view.__name__)
