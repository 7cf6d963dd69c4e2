"""GET get-session: who is signed in, for first-party applications."""

from pyramid.response import Response
from pyramid.view import view_config

from authservice.web.answers import json_answer
from authservice.web.request import AuthRequest
from authservice.web.session.session_api import session_json, user_json
from authservice.web.session.session_extension import extended_when_due


@view_config(route_name="get_session", request_method="GET")
def get_session(request: AuthRequest) -> Response:
    """Return the session and its user, or null; extend the session when that is due."""
    if request.query_string and request.GET.get("disableRefresh") in {"true", "1"}:
        session = request.central_session
    else:
        session = extended_when_due(request)
    if session is not None:
        user = user_json(session.user, request.auth_settings)
        return json_answer({"session": session_json(session), "user": user})
    response = json_answer(None)
    has_cookie = any(request.cookies_of_service.session_tokens(request.cookie_header))
    if has_cookie and request.stored_session is None:
        # A cookie of ours whose session has ended: the browser may forget it. One whose person only
        # has to be confirmed goes on afterwards.
        request.cookies_of_service.clear_session(response)
    return response
