"""GET and POST /sign-in: the page on which people sign in; GET sign-in/begin: without the page."""

from pyramid.response import Response
from pyramid.view import exception_view_config, view_config

from authservice.web.answers import see_other
from authservice.web.gates import provenance
from authservice.web.pages.pages import error_page
from authservice.web.pages.texts import _
from authservice.web.request.auth_request import AuthRequest
from authservice.web.request.body import form_pairs
from authservice.web.sign_in import (
    interactions,
    return_target,
    sign_in_attempt,
    sign_in_page,
    silent_confirmation,
    way_back,
)
from authservice.web.sign_in.return_target import FirstPartyReturn, OAuthReturn, RefusedReturnError
from authservice.web.sign_in.sign_in_attempt import AttemptError, SignInAttempt
from authservice.web.sign_in.sign_in_page import SignInPrompt


@view_config(route_name="sign_in", request_method="GET")
def sign_in(request: AuthRequest) -> Response:
    """Show who asks and how to sign in; a person who only has to be confirmed is led on."""
    query = request.GET
    if interactions.PARAMETER in query:
        prompt = SignInPrompt.of_interaction(request, query[interactions.PARAMETER])
    else:
        target = FirstPartyReturn.of_query(request.components.origins, query)
        prompt = SignInPrompt.of_first_party(target)
    return silent_confirmation.begun(request, prompt) or sign_in_page.shown(request, prompt)


@view_config(route_name="sign_in", request_method="POST")
def sign_in_submitted(request: AuthRequest) -> Response:
    """Go on as the person who is signed in, or to the identity provider."""
    fields = dict(form_pairs(request))
    secret = request.components.secret
    try:
        attempt = sign_in_attempt.unseal(secret, request.known_browser, fields.get("attempt", ""))
    except AttemptError as error:
        if error.expired is None or not error.by_itself:
            return _expired(request, error.expired.target if error.expired else None)
        attempt = sign_in_attempt.renewed(request, error.expired)
    if fields.get("choice") == "continue":
        return see_other(_continued(request, attempt))
    response = see_other(sign_in_attempt.begin(request, attempt))
    request.cookies_of_service.set_attempt(response, attempt.id)
    return response


def _expired(request: AuthRequest, target: return_target.ReturnTarget | None) -> Response:
    if isinstance(target, OAuthReturn):
        # Raises where the client's request has expired too: its own page starts again.
        interactions.pending(request, target.interaction)
    auth_url = request.auth_settings.auth_url
    again = return_target.sign_in_address(target, auth_url) if target else None
    application = way_back.application_of(request, target)
    return error_page(
        request,
        400,
        _("This page has expired"),
        _("The sign-in page was open for longer than a day, or was changed on its way."),
        None if application else _("Go back to the application and sign in from there again."),
        code="sign_in_expired",
        action=(again, _("Sign in again")) if again else None,
        application=application,
    )


def _continued(request: AuthRequest, attempt: SignInAttempt) -> str:
    auth_url = request.auth_settings.auth_url
    target = attempt.target
    session = request.confirmed_session
    if session is None or session.user.id != attempt.person_id:
        # In another tab the person whom the page named has left since, or another one has come.
        return return_target.sign_in_address(target, auth_url)
    if isinstance(target, OAuthReturn):
        waiting = interactions.pending(request, target.interaction).continued_with(session.id)
        target = OAuthReturn(interactions.sealed(request, waiting))
    return return_target.address(target, auth_url)


@exception_view_config(RefusedReturnError)
def refused_return(error: RefusedReturnError, request: AuthRequest) -> Response:
    """Say that a link would lead to an address that is not one of our applications'."""
    return error_page(
        request,
        403,
        _("This link cannot be used"),
        _("The address to which you would return after signing in is not one of our applications."),
        _("Go back to the application. Its developers can correct the link."),
        description=error.message,
        code=error.code,
    )


@view_config(route_name="sign_in.begin", request_method="GET")
def sign_in_begin(request: AuthRequest) -> Response:
    """Begin the sign-in that sign-in/social promised, in the browser that is to finish it.

    State, verifier and cookie are made here, where no script sees them. What is not the browser's
    own way from one of our applications leads to the sign-in page, where a person has to click;
    in local mode everything does.
    """
    target = FirstPartyReturn.of_query(request.components.origins, request.GET)
    if request.auth_settings.local_mode or not provenance.is_own_navigation(request):
        return see_other(return_target.sign_in_address(target, request.auth_settings.auth_url))
    if (waiting := request.waiting_session) is not None:
        return silent_confirmation.start(request, target, waiting)
    attempt = sign_in_attempt.new(target)
    response = see_other(sign_in_attempt.begin(request, attempt))
    request.cookies_of_service.set_attempt(response, attempt.id)
    return response
