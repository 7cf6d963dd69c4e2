"""GET list-sessions, POST revoke-session, revoke-sessions and revoke-other-sessions: one's own."""

from pyramid.response import Response
from pyramid.view import view_config

from authservice.services.sessions import sessions
from authservice.services.sessions.sessions import CentralSession
from authservice.web.answers import error_json, json_answer, unauthorized
from authservice.web.gates import provenance
from authservice.web.request.auth_request import AuthRequest
from authservice.web.request.body import json_object, optional_text
from authservice.web.session.session_api import session_json
from authservice.web.session.session_end import end_sessions, sign_out_everywhere


@view_config(route_name="list_sessions", request_method="GET")
def list_sessions(request: AuthRequest) -> Response:
    """Return the person's live sessions."""
    session = request.confirmed_session
    if session is None:
        return unauthorized()
    live = sessions.of_user(request.db_readonly, session.user.id)
    return json_answer([session_json(each, with_device=True) for each in live])


# No form token on these: the Origin rule of the session API stands in its place.
@view_config(route_name="revoke_session", request_method="POST", require_csrf=False)
def revoke_session(request: AuthRequest) -> Response:
    """End the session whose handle is given; a handle that is not one's own has no effect."""
    session = _asking(request)
    if isinstance(session, Response):
        return session
    handle = optional_text(json_object(request), "token")
    if handle is None:
        return error_json(400, "[body.token] is required", "VALIDATION_ERROR")
    own = {each.id for each in sessions.of_user(request.db_readonly, session.user.id)}
    end_sessions(request, [handle] if handle in own else [])
    return json_answer({"status": True})


@view_config(route_name="revoke_sessions", request_method="POST", require_csrf=False)
def revoke_sessions(request: AuthRequest) -> Response:
    """Sign out everywhere: no session and no application's access is left."""
    session = _asking(request)
    if isinstance(session, Response):
        return session
    json_object(request)
    return sign_out_everywhere(request, session.user.id, json_answer({"status": True}))


@view_config(route_name="revoke_other_sessions", request_method="POST", require_csrf=False)
def revoke_other_sessions(request: AuthRequest) -> Response:
    """End every session of the person but this one."""
    session = _asking(request)
    if isinstance(session, Response):
        return session
    json_object(request)
    live = sessions.of_user(request.db_readonly, session.user.id)
    end_sessions(request, [each.id for each in live if each.id != session.id])
    return json_answer({"status": True})


def _asking(request: AuthRequest) -> CentralSession | Response:
    """Return the session that asks, or the refusal."""
    return provenance.refused_origin(request) or request.confirmed_session or unauthorized()
