"""How often an address or a client may ask, in production.

Which requests count, and against whom; ``request_counts`` counts them.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from http import HTTPStatus
from ipaddress import IPv6Address
from typing import Any

from limits import RateLimitItem, RateLimitItemPerSecond
from pyramid.response import Response
from pyramid.viewderivers import INGRESS

from authservice.oauth.protocol_answer import NO_STORE, ProtocolAnswer, error_body
from authservice.oauth.server_context import Admit
from authservice.web import routes
from authservice.web.json_answer import error_json
from authservice.web.pages import error_page
from authservice.web.protocol_response import protocol_response
from authservice.web.request import AuthRequest
from authservice.web.request_body import BadBodyError
from authservice.web.request_counts import AdmittedRequest, TooManyRequestsError
from authservice.web.routes import Surface
from authservice.web.texts import DOMAIN, _

_UNLIMITED = {
    "health",
    "openapi",
    "well_known.openid_configuration",
    "well_known.oauth_authorization_server",
    "well_known.path_inserted",
    "jwks",
    "ok",
}
# Asked on every page view of every application: only those who are not signed in are counted.
_FREE_WITH_A_SESSION = {"get_session", "session_token"}
# What is signed for a session, and what a GET may write. Everything else that writes is a POST.
_SIGNED_FOR_A_SESSION = {"session_token"}
_WRITTEN_BY_GET = {"oauth2.authorize", "oauth2.end_session", "sign_in.begin", "callback"}
_OF_CLIENTS = {"oauth2.token", "oauth2.introspect", "oauth2.revoke", "oauth2.userinfo"}
# Its view knows which attempt a request belongs to, and counts by that.
_COUNTED_BY_ITS_VIEW = {"callback"}
# Windows, in seconds.
_MOMENT = 10
_MINUTE = 60
# A minute's. Each is kept for some minutes, and may be as long as a body.
_POSTED = 20
# A site has a /48 and may use each of its 65,536 networks. Several households may share one.
_OF_A_SITE = 8


def rate_limited_view(view: Callable[[Any, Any], Response], info: Any) -> Any:
    """Return the view with the counting before it (a Pyramid view deriver)."""
    if info.exception_only:
        return view

    def wrapper(context: Any, request: AuthRequest) -> Response:
        route = routes.of_request(request)
        name = route.name if route else "static"
        if name in _OF_CLIENTS:
            return _by_outcome(view, context, request)
        session = request.central_session if name in _FREE_WITH_A_SESSION else None
        if name not in _UNLIMITED | _COUNTED_BY_ITS_VIEW and session is None:
            _count(request, _limit_of_route(request, name), name)
        _count_of_session(request, name)
        return view(context, request)

    return wrapper


def _count_of_session(request: AuthRequest, name: str) -> None:
    """Count what is signed or written for a session, from whatever addresses it is asked."""
    limits = request.components.rate_limits
    if limits is None:
        return
    if name in _SIGNED_FOR_A_SESSION:
        session = request.central_session
    elif request.method == "POST" or name in _WRITTEN_BY_GET:
        # Who has the shared cookie alone, as a sibling application has, writes nothing with it and
        # cannot use up what is left to the person.
        session = request.confirmed_session
    else:
        return
    if session is not None:
        limit = _limit(request.auth_settings.request_limits.session_requests, _MINUTE)
        limits.count(limit, name, session.id)


def count_begun_sign_in(request: AuthRequest) -> None:
    """Count a sign-in that begins; raises TooManyRequestsError for one that is too many."""
    _count(request, _begun_sign_ins(request), "begun_sign_ins")


def count_callback(request: AuthRequest, attempt_id: str | None) -> None:
    """Count a callback for the attempt that it finishes; raises TooManyRequestsError.

    Its address was counted when the attempt began. So people behind one address come back however
    many they are, and whatever others send from there: a callback that finishes no attempt of its
    browser (None) counts for the address, apart from these.
    """
    limits = request.components.rate_limits
    if attempt_id is None:
        _count(request, _begun_sign_ins(request), "callback")
    elif limits is not None:
        limits.count(_begun_sign_ins(request), "callback", "attempt", attempt_id)


def _begun_sign_ins(request: AuthRequest) -> RateLimitItem:
    return _limit(request.auth_settings.request_limits.begun_sign_ins, _MOMENT)


def _limit_of_route(request: AuthRequest, name: str) -> RateLimitItem:
    limits = request.auth_settings.request_limits
    if name == "sign_in.social":
        return _begun_sign_ins(request)
    if name == "oauth2.authorize":
        return _limit(limits.authorization_requests, _MINUTE)
    if name in _FREE_WITH_A_SESSION:
        return _limit(limits.session_checks, _MOMENT)
    return _limit(limits.other_requests, _MOMENT)


@cache
def _limit(amount: int, seconds: int) -> RateLimitItem:
    return RateLimitItemPerSecond(amount, seconds)


def _by_outcome(
    view: Callable[[Any, Any], Response], context: Any, request: AuthRequest
) -> Response:
    """Count what succeeds for its client, and what fails apart, so that it uses up none of that.

    A failure that is one too many is only held back itself.
    """
    try:
        response = view(context, request)
    except BadBodyError:
        _count_failure(request)
        raise
    if response.status_code < HTTPStatus.BAD_REQUEST:
        _count_success(request)
    elif response.status_code < HTTPStatus.INTERNAL_SERVER_ERROR:
        _count_failure(request)
    return response


def count_posted_request(request: AuthRequest) -> None:
    """Count an authorization request that has to be kept; raises TooManyRequestsError."""
    _count(request, _limit(_POSTED, _MINUTE), "posted requests")


def _count_success(request: AuthRequest) -> None:
    limits = request.components.rate_limits
    if limits is None or request.admitted is None:
        return
    for limit, who in request.admitted.counts_as:
        # Another request may have taken the room meanwhile. What has been done is answered.
        with suppress(TooManyRequestsError):
            limits.count(limit, *who)


def _count_failure(request: AuthRequest) -> None:
    # A client that has shown who it is shares its failures with nobody at its address.
    who = () if request.admitted is None else (request.admitted.client_id,)
    limit = _limit(request.auth_settings.request_limits.client_failures, _MINUTE)
    _count(request, limit, "failures", *who)


def admission(request: AuthRequest) -> Admit:
    """Return what lets an authenticated client's request pass, if its endpoint has room for it.

    A public client has room for each address apart, so that nobody can lock the others out.
    """

    def admit(client_id: str, *, public: bool, requests_per_minute: int | None) -> None:
        limits = request.components.rate_limits
        if limits is None:
            return
        amount = requests_per_minute
        if amount is None:
            amount = request.auth_settings.request_limits.client_requests
        limit = _limit(amount, _MINUTE)
        who = ("client", str(routes.known_path(request)), client_id)
        counts_as: tuple[tuple[RateLimitItem, tuple[str, ...]], ...] = ((limit, who),)
        if public:
            counts_as = tuple(
                (_times(limit, times), (*who, sender))
                for sender, times in senders(request.from_address)
            )
        for each, named in counts_as:
            limits.require_room(each, *named)
        request.admitted = AdmittedRequest(client_id, counts_as)

    return admit


def _count(request: AuthRequest, limit: RateLimitItem, *what: str) -> None:
    """Count a request of an address, and of the site that the address belongs to."""
    limits = request.components.rate_limits
    if limits is None:
        return
    if "ready" not in what:
        # There a load balancer asks for itself, perhaps by the public name.
        request.components.silent_proxy.look(request.environ)
    for sender, times in senders(request.from_address):
        limits.count(_times(limit, times), *what, sender)


def _times(limit: RateLimitItem, times: int) -> RateLimitItem:
    if times == 1:
        return limit
    return RateLimitItemPerSecond(times * limit.amount, limit.get_expiry())


def senders(address: str | None) -> tuple[tuple[str, int], ...]:
    """Return what is counted for an address, each with how many times a limit it may use.

    An IPv6 sender has a whole /64, and often each of a /48. The narrower one comes first: what it
    is refused does not count against its neighbours.
    """
    if address is None:
        return (("unknown", 1),)
    if ":" not in address:
        return ((address, 1),)
    number = int(IPv6Address(address.partition("%")[0]))
    return ((f"{number >> 64:x}/64", 1), (f"{number >> 80:x}/48", _OF_A_SITE))


def too_many_requests(error: TooManyRequestsError, request: AuthRequest) -> Response:
    """Say when to try again, in the form that the caller understands (an exception view)."""
    route = routes.of_request(request)
    surface = route.surface if route else Surface.PAGE
    if surface in routes.WORDED_AS_OAUTH:
        body = error_body("temporarily_unavailable", "Too many requests: try again later.")
        response = protocol_response(ProtocolAnswer(429, NO_STORE, body))
    elif surface is Surface.SESSION_API:
        response = error_json(429, "Too many requests: try again later", "TOO_MANY_REQUESTS")
    else:
        response = error_page(
            request,
            429,
            _("Please wait a moment"),
            _("There were too many requests from your network."),
            request.localizer.pluralize(
                "Wait ${seconds} second and load the page again.",
                "Wait ${seconds} seconds and load the page again.",
                error.retry_after,
                domain=DOMAIN,
                mapping={"seconds": error.retry_after},
            ),
            code="too_many_requests",
        )
    response.headers["Retry-After"] = str(error.retry_after)
    return response


def includeme(config: Any) -> None:
    """Count every request for a view."""
    config.add_view_deriver(rate_limited_view, under=INGRESS)
    config.add_exception_view(too_many_requests, context=TooManyRequestsError)
