"""How often an address or a client may ask, in production.

Counting is the library's; which requests count, and against whom, is said here. A storage that
cannot be reached lets requests pass, and the log says so: nobody is locked out by a broken Redis.
Counts in memory are those of one process; several processes share Redis.
"""

import ipaddress
import logging
import math
from collections.abc import Callable
from typing import Any

from limits import RateLimitItem, RateLimitItemPerSecond
from limits.errors import StorageError
from limits.storage import storage_from_string
from limits.strategies import MovingWindowRateLimiter
from pyramid.response import Response
from pyramid.viewderivers import INGRESS

from authservice import clock
from authservice.oauth.protocol_answer import NO_STORE, ProtocolAnswer, error_body
from authservice.oauth.server_context import Admit
from authservice.web import routes
from authservice.web.json_answer import error_json
from authservice.web.pages import error_page
from authservice.web.protocol_response import protocol_response
from authservice.web.request import AuthRequest
from authservice.web.routes import Surface
from authservice.web.texts import DOMAIN, _

_log = logging.getLogger(__name__)

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
_OF_CLIENTS = {"oauth2.token", "oauth2.introspect", "oauth2.revoke", "oauth2.userinfo"}
_SIGN_IN = RateLimitItemPerSecond(10, 10)
_BY_ROUTE = {
    "sign_in": _SIGN_IN,
    "sign_in.social": _SIGN_IN,
    "oauth2.authorize": RateLimitItemPerSecond(300, 60),
}
_OTHERWISE = RateLimitItemPerSecond(100, 10)
_CLIENT = RateLimitItemPerSecond(600, 60)
_FAILURES = RateLimitItemPerSecond(20, 60)

# A storage that hangs must not hold a request for longer than a person notices.
_REDIS_TIMEOUT = {"socket_timeout": 0.25, "socket_connect_timeout": 0.25}


class TooManyRequestsError(Exception):
    """Somebody asked too often; ``retry_after`` is in seconds."""

    def __init__(self, retry_after: int, limit: str) -> None:
        """Take the seconds until the next request may pass, and which limit it was."""
        super().__init__("too many requests")
        self.retry_after = retry_after
        self.limit = limit


class RateLimits:
    """Counts requests in one storage."""

    def __init__(self, storage: str) -> None:
        """Take ``memory://`` or the address of a Redis."""
        options = {} if storage == "memory://" else _REDIS_TIMEOUT
        self._limiter = MovingWindowRateLimiter(
            storage_from_string(storage, wrap_exceptions=True, **options)
        )
        self._let_pass = 0

    def are_counted(self) -> bool:
        """Tell whether the storage answers."""
        return self._limiter.storage.check()

    def count(self, limit: RateLimitItem, *who: str) -> None:
        """Count a request; raises TooManyRequestsError when there were too many."""
        try:
            if self._limiter.hit(limit, *who):
                return
            reset = self._limiter.get_window_stats(limit, *who).reset_time
        except StorageError as error:
            self._let_pass += 1
            _log.warning(
                "rate limits are off: the storage cannot be reached (%s); %d requests passed",
                error,
                self._let_pass,
            )
            return
        waiting = math.ceil(reset - clock.now().timestamp())
        raise TooManyRequestsError(min(max(waiting, 1), limit.get_expiry()), who[0])


def rate_limited_view(view: Callable[[Any, Any], Response], info: Any) -> Any:
    """Return the view with the counting before it (a Pyramid view deriver)."""
    if info.exception_only:
        return view

    def wrapper(context: Any, request: AuthRequest) -> Response:
        route = routes.of_request(request)
        name = route.name if route else "static"
        address = subject(request)
        if name in _OF_CLIENTS:
            return _with_failures_counted(view(context, request), request, address)
        free = name in _UNLIMITED or (name in _FREE_WITH_A_SESSION and request.central_session)
        if not free:
            limits: RateLimits = request.registry.rate_limits
            limits.count(_BY_ROUTE.get(name, _OTHERWISE), name, address)
        return view(context, request)

    return wrapper


def _with_failures_counted(response: Response, request: AuthRequest, address: str) -> Response:
    """Count a refused client or token; only further failures of the address are held back."""
    if response.status_code == 401:  # noqa: PLR2004
        request.registry.rate_limits.count(_FAILURES, "failures", address)
    return response


def unlimited(_request: AuthRequest) -> Admit:
    """Return what lets every client pass."""

    def admit(client_id: str, *, public: bool) -> None:
        pass

    return admit


def admission(request: AuthRequest) -> Admit:
    """Return what counts an authenticated client's request.

    A public client counts for each address apart, so that nobody can lock the others out.
    """

    def admit(client_id: str, *, public: bool) -> None:
        where = subject(request) if public else ""
        request.registry.rate_limits.count(_CLIENT, "client", client_id, where)

    return admit


def subject(request: AuthRequest) -> str:
    """Return the address that is counted: an IPv6 sender has a whole /64."""
    address = request.from_address
    if address is None:
        return "unknown"
    if ":" not in address:
        return address
    return str(ipaddress.ip_network(f"{address}/64", strict=False))


def too_many_requests(error: TooManyRequestsError, request: AuthRequest) -> Response:
    """Say when to try again, in the form that the caller understands (an exception view)."""
    route = routes.of_request(request)
    surface = route.surface if route else Surface.PAGE
    if surface is Surface.PROTOCOL:
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
    """Count from now on, unless the settings say that nothing is limited."""
    storage = config.registry.components.settings.ratelimit_storage
    if storage is None:
        config.registry.admission = unlimited
        return
    config.registry.admission = admission
    config.registry.rate_limits = RateLimits(storage)
    config.add_view_deriver(rate_limited_view, under=INGRESS)
    config.add_exception_view(too_many_requests, context=TooManyRequestsError)
