"""GET token: the session as a JWT, for back ends that verify locally."""

from pyramid.response import Response
from pyramid.view import view_config

from authservice.web.answers import json_answer, unauthorized
from authservice.web.request import AuthRequest
from authservice.web.session import session_jwt
from authservice.web.session.session_extension import extended_when_due


@view_config(route_name="session_token", request_method="GET")
def session_token(request: AuthRequest) -> Response:
    """Return a JWT that says who is signed in."""
    session = extended_when_due(request)
    if session is None:
        return unauthorized()
    token = session_jwt.issue(session.user, request.auth_settings, request.signing_keys)
    return json_answer({"token": token})
