"""GET /: who is signed in and the ways on, or how to sign in."""

from pyramid.response import Response
from pyramid.view import view_config

from authservice.web.gates import provenance
from authservice.web.pages.pages import page
from authservice.web.request.auth_request import AuthRequest
from authservice.web.sign_in import sign_in_page, silent_confirmation
from authservice.web.sign_in.return_target import FirstPartyReturn
from authservice.web.sign_in.sign_in_page import SignInPrompt

_HERE = FirstPartyReturn("/", None, None)


@view_config(route_name="landing", request_method="GET")
def landing(request: AuthRequest) -> Response:
    """Show the landing page; first confirm who is signed in, if that is due."""
    if (begun := silent_confirmation.begun_for(request, _HERE)) is not None:
        return begun
    session = request.confirmed_session
    if session is None:
        prompt = SignInPrompt.of_first_party(_HERE)
        return sign_in_page.shown(request, prompt, template="landing")
    values = {"current_user": session.user, "csrf_token": provenance.form_token(request)}
    return page(request, "landing", values)
