"""GET get-session, token and ok, and signing out: POST sign-out, and the form on our own pages."""

from pyramid.response import Response
from pyramid.view import view_config

from authservice.web.answers import error_json, json_answer, see_other, unauthorized
from authservice.web.gates import provenance
from authservice.web.request.auth_request import AuthRequest
from authservice.web.request.body import json_object
from authservice.web.session.session_api import session_json, session_jwt, user_json
from authservice.web.session.session_end import end_presented_sessions
from authservice.web.session.session_extension import extended_when_due


@view_config(route_name="ok", request_method="GET")
def ok(_request: AuthRequest) -> Response:
    """Return that the session API answers."""
    return json_answer({"ok": True})


@view_config(route_name="get_session", request_method="GET")
def get_session(request: AuthRequest) -> Response:
    """Return the session and its user, or null; extend the session when that is due."""
    if request.query_string and request.GET.get("disableRefresh") in {"true", "1"}:
        session = request.central_session
    else:
        session = extended_when_due(request)
    if session is not None:
        user = user_json(session.user, request.auth_settings)
        return json_answer({"session": session_json(session, with_device=False), "user": user})
    response = json_answer(None)
    has_cookie = any(request.cookies_of_service.session_tokens(request.cookie_header))
    if has_cookie and request.stored_session is None:
        # A cookie of ours whose session has ended: the browser may forget it. One whose person only
        # has to be confirmed goes on afterwards.
        request.cookies_of_service.clear_session(response)
    return response


@view_config(route_name="session_token", request_method="GET")
def session_token(request: AuthRequest) -> Response:
    """Return a JWT that says who is signed in, for back ends that verify locally."""
    session = extended_when_due(request)
    if session is None:
        return unauthorized()
    settings = request.auth_settings
    wanted = [value for value in request.GET.getall("audience") if value]
    if not _may_be_told(request, wanted):
        message = "Invalid audience: it must be one trusted origin, and that of the page that asks"
        return error_json(403, message, "INVALID_AUDIENCE")
    audience = wanted[0] if wanted else settings.auth_url
    token = session_jwt(session.user, audience, settings, request.signing_keys)
    return json_answer({"token": token})


def _may_be_told(request: AuthRequest, audiences: list[str]) -> bool:
    """Tell whether a JWT for these may be handed out here: for none, or for one of ours."""
    if not audiences:
        return True
    asking = request.environ.get("HTTP_ORIGIN", audiences[0])
    return audiences == [asking] and request.components.origins.trusts(asking)


@view_config(route_name="sign_out", request_method="POST", require_csrf=False)
def sign_out(request: AuthRequest) -> Response:
    """End the session of the cookie and clear the cookie, also if the session has ended already."""
    # No form token: the Origin rule of the session API stands in its place.
    refused = provenance.refused_origin(request)
    if refused is not None:
        return refused
    json_object(request)
    return end_presented_sessions(request, json_answer({"success": True}))


@view_config(route_name="sign_out_page", request_method="POST")
def sign_out_page(request: AuthRequest) -> Response:
    """End the session and say so."""
    response = see_other(f"{request.auth_settings.auth_url}/signed-out")
    return end_presented_sessions(request, response)
