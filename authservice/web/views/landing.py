"""GET /: who is signed in, and the ways on."""

from pyramid.response import Response
from pyramid.view import view_config

from authservice.web import csrf
from authservice.web.pages import page
from authservice.web.request import AuthRequest


@view_config(route_name="landing", request_method="GET")
def landing(request: AuthRequest) -> Response:
    """Show the landing page."""
    session = request.confirmed_session
    values = {
        "user": session.user if session else None,
        "csrf_token": csrf.token(request),
    }
    return page(request, "landing", values)
