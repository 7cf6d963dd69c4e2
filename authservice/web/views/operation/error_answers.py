"""What is answered when a view raises, or when none fits: pages for people, JSON for programs."""

import logging
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from pyramid.exceptions import BadCSRFToken
from pyramid.httpexceptions import HTTPMovedPermanently, HTTPNotFound
from pyramid.response import Response
from pyramid.view import exception_view_config, notfound_view_config
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from authservice.oauth.authorize.authorization_response import (
    AuthorizationRefusedError,
    FatalAuthorizationError,
)
from authservice.oauth.authorize.pending import InteractionError
from authservice.services.keys.signing_keys import KeysNotReadyError
from authservice.web import routes
from authservice.web.answers import WORDED_AS_OAUTH, error_answer, error_json, see_other
from authservice.web.gates import answer_headers
from authservice.web.pages.pages import authorization_answer, error_page, without_cookies
from authservice.web.pages.texts import DOMAIN, _
from authservice.web.request.auth_request import AuthRequest
from authservice.web.request.body import BadBodyError, form_pairs
from authservice.web.request.counts import TooManyRequestsError
from authservice.web.request.sign_in_places import RELOAD_SECONDS, TooManySignInsError
from authservice.web.routes import ROUTES, Surface
from authservice.web.sign_in import interactions, sign_in_attempt, way_back
from authservice.web.sign_in.sign_in_attempt import AttemptError

_log = logging.getLogger(__name__)

# What a browser may send to an address that does not exist.
_ANY_METHOD = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
# What is not found below these was looked for by a program.
_FOR_PROGRAMS = ("/api/", "/.well-known/")
# What browsers say of a form that one of our own pages has sent (Fetch Metadata).
_SAME_ORIGIN = "same-origin"
# Forms that have nothing left to do when the person has no session.
_ONLY_SIGNED_IN = {
    "account.end_session",
    "account.disconnect",
    "account.sign_out_everywhere",
    "sign_out_page",
}


@exception_view_config(FatalAuthorizationError)
def fatal_authorization_error(error: FatalAuthorizationError, request: AuthRequest) -> Response:
    """Show what is wrong with the link of an application, without a redirect.

    What is registered is shown in local mode only; in production the log has it.
    """
    _log.warning(
        "refused an authorization request: %s received=%r registered=%r",
        error.error,
        error.received,
        error.registered,
    )
    local_mode = request.auth_settings.local_mode
    return error_page(
        request,
        400,
        _("This sign-in link is not valid"),
        _("The application that sent you here made a mistake in its link."),
        _(
            "Go back to the application. If it keeps"
            " happening, tell its developers what this page says."
        ),
        description=error.description,
        code=error.error,
        details=[(_("Registered"), uri) for uri in error.registered] if local_mode else [],
        difference=error.difference if local_mode else None,
    )


@exception_view_config(AuthorizationRefusedError)
def authorization_refused(error: AuthorizationRefusedError, request: AuthRequest) -> Response:
    """Send the error to the client's redirect URI."""
    return authorization_answer(request, error.response)


@exception_view_config(InteractionError)
def interaction_error(error: InteractionError, request: AuthRequest) -> Response:
    """Start the request again, or say that the page is out of date, with the ways on."""
    again = interactions.started_again(request, error)
    if again and error.by_itself:
        return see_other(again)
    application = way_back.client_of(request, error.query)
    title, message, advice = (
        _("This page has expired"),
        _(
            "It was open for longer than a day, belongs to another browser,"
            " was changed, or comes from before this service was set up again."
        ),
        None if application else _("Start again from the application that brought you here."),
    )
    if error.query is not None and request.known_browser is None:
        title, message, advice = without_cookies(request)
    return error_page(
        request,
        400,
        title,
        message,
        advice,
        code="interaction_expired",
        action=(again, _("Start again")) if again else None,
        application=application,
    )


@exception_view_config(BadCSRFToken)
def bad_csrf_token(_error: BadCSRFToken, request: AuthRequest) -> Response:
    """Say that a form was not sent from a page of this browser, unless it can be shown again."""
    route = routes.of_request(request)
    if (
        route is not None
        and route.name in _ONLY_SIGNED_IN
        and request.confirmed_session is None
        and _sent_from_here(request)
    ):
        # The form was sent twice, or its person has signed out in another tab. A foreign page's
        # form brings no session along either, and its person would be told what is not so.
        return see_other(f"{request.auth_settings.auth_url}/signed-out")
    if request.known_browser is None and _sent_from_here(request):
        again = _shown_again(request)
        if again is not None:
            return see_other(again)
    title, message, advice = (
        _("This page is out of date"),
        _("The form was opened before you signed in or out, or cookies are switched off."),
        _("Go back, load the page again and try once more."),
    )
    if request.known_browser is None and _sent_from_here(request):
        title, message, advice = without_cookies(request)
    return error_page(
        request,
        403,
        title,
        message,
        advice,
        code="csrf_token_invalid",
        action=_form_anew(request),
    )


def _sent_from_here(request: AuthRequest) -> bool:
    """Tell whether no other site's page has sent the form, as far as the browser says."""
    return bool(request.environ.get("HTTP_SEC_FETCH_SITE", _SAME_ORIGIN) == _SAME_ORIGIN)


def _shown_again(request: AuthRequest) -> str | None:
    """Return where a form leads whose browser has lost its cookies since its page was shown."""
    route = routes.of_request(request)
    fields = dict(form_pairs(request))
    try:
        match route and route.name:
            case "sign_in":
                secret = request.components.secret
                sign_in_attempt.unseal(secret, None, fields.get("attempt", ""))
            case "consent":
                interactions.pending(request, fields.get(interactions.PARAMETER, ""))
            case "oauth2.end_session_confirm":
                query = urlencode({"logout": fields.get("logout", "")})
                return f"{request.auth_settings.issuer}/oauth2/end-session?{query}"
    except AttemptError as error:
        if error.expired and error.by_itself:
            return way_back.again(request, error.expired.target)
    except InteractionError as error:
        return interactions.started_again(request, error) if error.by_itself else None
    return None


def _form_anew(request: AuthRequest) -> tuple[str, str] | None:
    """Return the page of the form that was sent, for the person who is signed in now."""
    route = routes.of_request(request)
    if route is not None and route.name.startswith("account."):
        return "/account", _("Load the page again")
    interaction = dict(form_pairs(request)).get(interactions.PARAMETER)
    if route is not None and route.name == "consent" and interaction:
        address = interactions.page_address(request, "/consent", interaction)
        return address, _("Load the page again")
    return None


@exception_view_config(BadBodyError)
def bad_body(error: BadBodyError, request: AuthRequest) -> Response:
    """Say what is wrong with a body or a query."""
    return _failure(
        request,
        error.status,
        error="invalid_request",
        code=error.code,
        description=error.message,
        title=_("This request cannot be read"),
        message=_("What was sent here is not what this service expects."),
        advice=_("Go back to the application and try again."),
    )


@exception_view_config(TooManyRequestsError)
def too_many_requests(error: TooManyRequestsError, request: AuthRequest) -> Response:
    """Say when to try again."""
    response = error_answer(
        routes.surface_of(request),
        429,
        error="temporarily_unavailable",
        code="TOO_MANY_REQUESTS",
        description="Too many requests: try again later",
        page=lambda: error_page(
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
        ),
    )
    response.headers["Retry-After"] = str(error.retry_after)
    return response


@exception_view_config(TooManySignInsError)
def too_many_sign_ins(_error: TooManySignInsError, request: AuthRequest) -> Response:
    """Ask for patience with a page that loads itself again: nothing of the sign-in is spent."""
    response = error_page(
        request,
        503,
        _("Please wait a moment"),
        _("Too many people are signing in with ${provider} at the same time.")
        % {"provider": request.identity_provider.name},
        _("This page loads itself again in a moment. You do not have to start again."),
        code="too_many_sign_ins",
        action=_again(request),
    )
    response.headers["Retry-After"] = str(RELOAD_SECONDS)
    # To the very same address, which is that of a callback (HTML, section 4.2.5.3).
    response.headers["Refresh"] = str(RELOAD_SECONDS)
    return response


@exception_view_config(DBAPIError)
@exception_view_config(PoolTimeoutError)
@exception_view_config(KeysNotReadyError)
def unavailable(error: Exception, request: AuthRequest) -> Response:
    """Say that the service cannot answer for the moment; the log says why."""
    if request.database.file is not None:
        request.database.file.note_failure(error)
    # While the database is away every request ends here: a line for each, and no traceback.
    expected = not isinstance(error, DBAPIError) or isinstance(error, OperationalError)
    _log.error(
        "the service cannot answer: %s: %s",
        type(error).__name__,
        error.orig if isinstance(error, DBAPIError) else error,
        exc_info=None if expected else error,
    )
    response = _failure(
        request,
        503,
        error="temporarily_unavailable",
        code="SERVICE_UNAVAILABLE",
        title=_("Please try again"),
        message=_("The service cannot answer at the moment."),
        advice=_("Wait a few seconds and try again."),
    )
    response.headers["Retry-After"] = "5"
    return response


@exception_view_config(Exception)
def unexpected(error: Exception, request: AuthRequest) -> Response:
    """Say that something failed here; what it was only the log says."""
    _log.error("unexpected error", exc_info=error)
    return _failure(
        request,
        500,
        error="server_error",
        code="INTERNAL_SERVER_ERROR",
        title=_("Something went wrong here"),
        message=_("The service failed to answer this request."),
        advice=_("Try again. If it keeps failing, tell the people who run this service."),
    )


def _failure(
    request: AuthRequest,
    status: int,
    *,
    error: str,
    code: str,
    title: str,
    message: str,
    advice: str,
    description: str | None = None,
) -> Response:
    """Return a failure in the caller's words; programs are told the description or the message."""
    return error_answer(
        _surface(request),
        status,
        error=error,
        code=code,
        # English, whatever the person's language is.
        description=description or str(message),
        page=lambda: error_page(
            request,
            status,
            title,
            message,
            advice,
            description=description,
            code=error,
            action=_again(request) if status >= HTTPStatus.INTERNAL_SERVER_ERROR else None,
        ),
    )


def _surface(request: AuthRequest) -> Surface:
    """Return the surface in whose words a failure is told."""
    route = routes.of_request(request)
    if route is None:
        path: str = request.environ.get("PATH_INFO", "")
        return Surface.SESSION_API if path.startswith(_FOR_PROGRAMS) else Surface.PAGE
    if route.surface in WORDED_AS_OAUTH and not route.name.startswith("oauth2."):
        # Documents and the service's condition are read by programs that know no OAuth.
        return Surface.SESSION_API
    return route.surface


def _again(request: AuthRequest) -> tuple[str, str] | None:
    """Return the same page once more, if asking for it again does nothing but show it."""
    # Only an address of ours: another path could pass for a host.
    if request.method == "GET" and routes.of_request(request) is not None:
        return request.path_qs, _("Try again")
    return None


# Pyramid would lead from the folder of files to the same with a slash, on whatever host was named.
@exception_view_config(HTTPMovedPermanently)
@notfound_view_config()
def not_found(_error: HTTPNotFound | HTTPMovedPermanently, request: AuthRequest) -> Response:
    """Say that there is nothing at this address.

    A preflight is answered where the request that follows it can be told so.
    """
    allowed = answer_headers.preflight(request, _ANY_METHOD)
    if allowed is not None:
        return allowed
    return error_answer(
        _surface(request),
        404,
        error="not_found",
        code="NOT_FOUND",
        description="Not Found",
        page=lambda: error_page(
            request,
            404,
            _("There is no such page"),
            _("Nothing is found at this address."),
            _("Check the address, or go to the start page."),
            code="not_found",
            action=("/", _("Start page")),
        ),
    )


def method_not_allowed(request: AuthRequest) -> Response:
    """Answer a preflight, or say which methods an address knows."""
    route = routes.BY_NAME[request.matched_route.name]
    if route.name == routes.PROVIDER_WEBHOOK and request.components.webhook_secret is None:
        return error_json(404, "Not Found", "NOT_FOUND")
    allowed = answer_headers.preflight(request, route.methods)
    if allowed is not None:
        return allowed
    response = error_json(
        405, f"Use one of these methods: {', '.join(route.methods)}", "METHOD_NOT_ALLOWED"
    )
    response.headers["Allow"] = ", ".join((*route.methods, "OPTIONS"))
    return response


def includeme(config: Any) -> None:
    """Let each route say which methods it knows, where none of its own views has one."""
    # By no decorator: each would look for its line of source code, half a millisecond for a route.
    for route in ROUTES:
        config.add_view(method_not_allowed, route_name=route.name, require_csrf=False)
