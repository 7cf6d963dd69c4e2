"""GET /: who is signed in, and the ways on."""

from pyramid.response import Response
from pyramid.view import view_config

from authservice.web.gates import csrf
from authservice.web.pages.pages import page
from authservice.web.request import AuthRequest
from authservice.web.sign_in import silent_confirmation
from authservice.web.sign_in.return_target import FirstPartyReturn

_HERE = FirstPartyReturn("/", None, None)


@view_config(route_name="landing", request_method="GET")
def landing(request: AuthRequest) -> Response:
    """Show the landing page; first confirm who is signed in, if that is due."""
    if (begun := silent_confirmation.begun_for(request, _HERE)) is not None:
        return begun
    session = request.confirmed_session
    values = {
        "user": session.user if session else None,
        "csrf_token": csrf.token(request),
    }
    return page(request, "landing", values)
