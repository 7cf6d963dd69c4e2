"""GET list-sessions: where a person is signed in."""

from pyramid.response import Response
from pyramid.view import view_config

from authservice.services.sessions import sessions
from authservice.web.answers import json_answer, unauthorized
from authservice.web.request import AuthRequest
from authservice.web.session.session_api import session_json


@view_config(route_name="list_sessions", request_method="GET")
def list_sessions(request: AuthRequest) -> Response:
    """Return the person's live sessions."""
    session = request.confirmed_session
    if session is None:
        return unauthorized()
    live = sessions.of_user(request.db_readonly, session.user.id)
    return json_answer([session_json(each) for each in live])
