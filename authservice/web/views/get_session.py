"""GET get-session: who is signed in, for first-party applications."""

from pyramid.response import Response
from pyramid.view import view_config

from authservice.services import sessions
from authservice.web.json_answer import json_answer
from authservice.web.request import AuthRequest
from authservice.web.session_api import session_json, user_json


@view_config(route_name="get_session", request_method="GET")
def get_session(request: AuthRequest) -> Response:
    """Return the session and its user, or null; extend the session when that is due."""
    presented = request.presented_session
    if presented is None:
        response = json_answer(None)
        if any(request.cookies_of_service.session_tokens(request.cookie_header)):
            # A cookie of ours whose session has ended: the browser may forget it.
            request.cookies_of_service.clear_session(response)
        return response
    session = presented.session
    lifetimes = request.auth_settings.lifetimes
    due = sessions.is_extension_due(session, lifetimes.session_update)
    if due and request.GET.get("disableRefresh") not in {"true", "1"}:
        session = sessions.extend(request.db, session, lifetimes.session)
        response = json_answer({"session": session_json(session), "user": user_json(session.user)})
        request.cookies_of_service.extend_session(response, presented.token)
        if presented.confirmed:
            request.cookies_of_service.extend_companion(response, session)
        return response
    return json_answer({"session": session_json(session), "user": user_json(session.user)})
