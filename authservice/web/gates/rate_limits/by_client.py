"""How often a client may ask.

What succeeds counts for the client, and what fails apart from that, so that junk in a client's
name uses up nothing of its own. A token that is no longer valid is no guess at a secret: it does
not count as a failure, and only one that is unknown counts at all, again apart.
"""

from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from typing import Any

from limits import RateLimitItem
from pyramid.response import Response

from authservice.oauth.oauth_request import CheckRateLimit, NoteToken
from authservice.web import routes
from authservice.web.gates.rate_limits.senders import (
    count,
    count_unknown,
    limit_of,
    senders,
    times_of,
)
from authservice.web.request.auth_request import AuthRequest
from authservice.web.request.body import BadBodyError
from authservice.web.request.counts import AllowedRequest, TooManyRequestsError

_MINUTE = 60
# Nobody authenticates there, so a failure guesses nothing but a token.
_WITHOUT_CREDENTIALS = "oauth2.userinfo"


def check_of(request: AuthRequest) -> CheckRateLimit:
    """Return what lets an authenticated client's request pass, if its endpoint has room for it.

    A public client has a separate limit for each address, so that no sender can lock others out.
    """

    def check(
        client_id: str, *, public: bool, requests_per_minute: int | None, apart: str = ""
    ) -> None:
        limits = request.components.rate_limits
        if limits is None:
            return
        amount = requests_per_minute
        if amount is None:
            amount = request.auth_settings.request_limits.client_requests
        limit = limit_of(amount, _MINUTE)
        who = ("client", str(routes.known_path(request)), client_id, apart)
        counts_as: tuple[tuple[RateLimitItem, tuple[str, ...]], ...] = ((limit, who),)
        if public:
            counts_as = tuple(
                (times_of(limit, times), (*who, sender))
                for sender, times in senders(request.sender)
            )
        for each, named in counts_as:
            limits.require_room(each, *named)
        request.allowed = AllowedRequest(client_id, counts_as)

    return check


def note_of(request: AuthRequest) -> NoteToken:
    """Return what takes notice of a token that a request presents."""

    def note(*, unknown: bool) -> None:
        request.token_noted = True
        if unknown:
            count_unknown(request, *_client_of(request))

    return note


def counted_by_outcome(
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


def _count_success(request: AuthRequest) -> None:
    limits = request.components.rate_limits
    if limits is None or request.allowed is None:
        return
    for limit, who in request.allowed.counts_as:
        # Another request may have taken the room meanwhile. What has been done is answered.
        with suppress(TooManyRequestsError):
            limits.count(limit, *who)


def _count_failure(request: AuthRequest) -> None:
    route = routes.of_request(request)
    if request.token_noted or (route and route.name == _WITHOUT_CREDENTIALS):
        return
    limit = limit_of(request.auth_settings.request_limits.client_failures, _MINUTE)
    count(request, limit, "failures", *_client_of(request))


def _client_of(request: AuthRequest) -> tuple[str, ...]:
    """Return what counts an authenticated client apart from others at its address."""
    return () if request.allowed is None else (request.allowed.client_id,)
