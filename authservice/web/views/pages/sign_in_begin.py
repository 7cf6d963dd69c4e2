"""GET sign-in/begin: the browser itself goes here, and on to the identity provider."""

from pyramid.response import Response
from pyramid.view import view_config

from authservice.web.answers import see_other
from authservice.web.gates import provenance
from authservice.web.request.auth_request import AuthRequest
from authservice.web.sign_in import return_target, sign_in_attempt, silent_confirmation
from authservice.web.sign_in.return_target import FirstPartyReturn


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
