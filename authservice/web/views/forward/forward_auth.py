"""GET forward/auth-request, for nginx, and forward/forward-auth, for Caddy and Traefik.

Both answer whether a request may pass to an application that knows nothing of sign-ins. Where a
proxy's configuration is at fault the answer is 403, with the rule in the body and in the log.
"""

import logging
from dataclasses import dataclass

from pyramid.response import Response
from pyramid.view import exception_view_config, view_config

from authservice.services.people import groups
from authservice.services.people.users import User
from authservice.services.sessions.sessions import CentralSession
from authservice.settings.admission.rules import folded
from authservice.settings.hosts import origin_of
from authservice.web.answers import ReadyAnswer, error_json, unauthorized
from authservice.web.forward import asked_request, identity_headers
from authservice.web.forward.asked_request import RefusedRequestError
from authservice.web.gates.junk_guard import MAX_QUERY
from authservice.web.gates.rate_limits import by_sender
from authservice.web.pages.refusal_page import refusal_page
from authservice.web.pages.texts import _
from authservice.web.request.auth_request import AuthRequest
from authservice.web.request.counts import TooManyRequestsError
from authservice.web.session.session_extension import extended_when_due
from authservice.web.sign_in import return_target
from authservice.web.sign_in.return_target import FirstPartyReturn

_log = logging.getLogger(__name__)

_CODE = "access_denied"
_TEXTS = (
    _("Not for this account"),
    _("The application is for certain people only."),
    _("Ask the people who run ${service}, or sign in with another account."),
)
_NO_STORE = ("Cache-Control", "no-store")


@dataclass(frozen=True, slots=True)
class _Conditions:
    """What the proxy's configuration asks for, in the query of our address."""

    groups: frozenset[str]
    extends: bool
    passes_preflights: bool

    @classmethod
    def of(cls, request: AuthRequest) -> "_Conditions":
        """Return them; raises RefusedRequestError, since a slip here would open an application."""
        if not request.query_string:
            return _NO_CONDITIONS
        pairs = list(request.GET.items())
        named = frozenset(folded(value) for name, value in pairs if name == "group")
        if any(pair[0] != "group" and pair not in {_EXTENDS, _PASSES_PREFLIGHTS} for pair in pairs):
            raise RefusedRequestError(
                "INVALID_QUERY",
                "The query may have extend=1, preflights=pass, and group=ACME or group=ACME/TEAM",
            )
        return cls(named, _EXTENDS in pairs, _PASSES_PREFLIGHTS in pairs)


_EXTENDS, _PASSES_PREFLIGHTS = ("extend", "1"), ("preflights", "pass")
_NO_CONDITIONS = _Conditions(frozenset(), extends=False, passes_preflights=False)


@view_config(route_name="forward.auth_request", request_method="GET")
def auth_request(request: AuthRequest) -> Response:
    """Return 200, 401 or 403; with 401, X-Auth-Sign-In is the whole address to go to."""
    address = asked_request.original_url(request)
    conditions = _Conditions.of(request)
    if conditions.passes_preflights and asked_request.original_is_preflight(request):
        return _answer_to_preflight()
    try:
        response = _answer_to_person(request, conditions, address)
    except TooManyRequestsError:
        response = None
    if response is None:
        response = _unauthorized(request)
        response.headers["X-Auth-Sign-In"] = _sign_in_address(request, address)
    return response


@view_config(route_name="forward.forward_auth", request_method="GET")
def forward_auth(request: AuthRequest) -> Response:
    """Return 200, 401 or 403, or lead a browser that opens a page to the sign-in."""
    asked = asked_request.forwarded(request)
    conditions = _Conditions.of(request)
    if conditions.passes_preflights and asked.is_preflight:
        return _answer_to_preflight()
    try:
        response = _answer_to_person(request, conditions, asked.address)
    except TooManyRequestsError:
        return _unauthorized(request)
    if response is not None:
        return response
    if not asked.is_navigation:
        return _unauthorized(request)
    location = ("Location", _sign_in_address(request, asked.address))
    return ReadyAnswer(b"", [location, _NO_STORE], 302)


@exception_view_config(RefusedRequestError)
def refused_request(error: RefusedRequestError, request: AuthRequest) -> Response:
    """Say which rule the proxy breaks, in the answer and in the log."""
    request.components.hourly_warnings.say(
        f"forward authentication refuses %s: {error.message}", request.environ.get("REMOTE_ADDR")
    )
    return error_json(403, error.message, error.code)


def _answer_to_preflight() -> Response:
    """Return that it may pass, without a person: browsers send no cookie with it."""
    return ReadyAnswer(b"", [_NO_STORE])


def _answer_to_person(
    request: AuthRequest, conditions: _Conditions, address: str
) -> Response | None:
    """Return the answer to who is signed in, or None; raises TooManyRequestsError."""
    session = _session(request, conditions)
    if session is None:
        return None
    user = session.user
    if not conditions.groups:
        value = _groups_told(request, user)
    else:
        named = groups.named(user, conditions.groups, request.auth_settings)
        if not named:
            return _refused(request, user, conditions, address)
        value = identity_headers.groups_value(named)
    headers = identity_headers.of_person(user, value, request.auth_settings)
    return ReadyAnswer(b"", [*headers, _NO_STORE])


def _groups_told(request: AuthRequest, user: User) -> str:
    told = groups.told_to_siblings(user, request.auth_settings) or ()
    value = identity_headers.groups_value(told)
    cut = identity_headers.cut(value)
    if cut != value:
        request.components.hourly_warnings.say(
            "Remote-Groups ends before the last group of user %s, at 4,096 octets", user.id
        )
    return cut


def _session(request: AuthRequest, conditions: _Conditions) -> CentralSession | None:
    cookies, header = request.cookies_of_service, request.cookie_header
    if cookies.session_name in header:
        by_sender.require_room_for_look_up(request)
        session = extended_when_due(request) if conditions.extends else request.central_session
        if session is not None:
            return session
    by_sender.count_without_session(request, looked_up=any(cookies.session_tokens(header)))
    return None


def _unauthorized(request: AuthRequest) -> Response:
    return unauthorized(f'Session realm="{request.auth_settings.auth_url}"')


def _sign_in_address(request: AuthRequest, address: str, *, choose_account: bool = False) -> str:
    """Return the sign-in page that leads back to an address.

    One that is too long for the query of the page leads to the front page of its application.
    """
    page, front_page = (
        return_target.sign_in_address(
            FirstPartyReturn(callback_url, None, None),
            request.auth_settings.auth_url,
            choose_account=choose_account,
        )
        for callback_url in (address, f"{origin_of(address)}/")
    )
    return page if len(page.partition("?")[2]) <= MAX_QUERY else front_page


def _refused(request: AuthRequest, user: User, conditions: _Conditions, address: str) -> Response:
    """Return the page for a person in none of the groups, or in none that could be read."""
    settings = request.auth_settings
    # The page shows the reference of this line.
    _log.info("forward authentication refuses user %s, who is in none of the groups", user.id)
    unknown = sorted(each for each in conditions.groups if not groups.known(each, settings))
    if unknown:
        request.components.hourly_warnings.say(
            "forward authentication cannot know who is in %s: no rule and no claims.groups_from"
            " names the organization",
            ", ".join(unknown),
        )
    elif user.groups is None:
        request.components.hourly_warnings.say(
            "forward authentication does not know the groups of user %s: they are read at the next"
            " sign-in",
            user.id,
        )
    title, message, advice = _TEXTS
    another = _sign_in_address(request, address, choose_account=True)
    return refusal_page(
        request,
        (title, message, advice % {"service": settings.service_name}),
        code=_CODE,
        account=user.username or user.name,
        actions=[(another, _("Use another account"))],
        elsewhere=True,
    )
