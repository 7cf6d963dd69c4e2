"""Signing out: POST sign-out for applications, and the form on our own pages."""

from pyramid.httpexceptions import HTTPSeeOther
from pyramid.response import Response
from pyramid.view import view_config

from authservice.services import sessions
from authservice.web import csrf
from authservice.web.json_answer import json_answer
from authservice.web.request import AuthRequest
from authservice.web.request_body import json_object


@view_config(route_name="sign_out", request_method="POST", require_csrf=False)
def sign_out(request: AuthRequest) -> Response:
    """End the session of the cookie and clear it, also where there is none any more."""
    # No form token: the Origin rule of the session API stands in its place.
    refused = csrf.refused_origin(request)
    if refused is not None:
        return refused
    json_object(request)
    return _ended(request, json_answer({"success": True}))


@view_config(route_name="sign_out_page", request_method="POST")
def sign_out_page(request: AuthRequest) -> Response:
    """End the session and go to the landing page."""
    return _ended(request, HTTPSeeOther(f"{request.auth_settings.auth_url}/"))


def _ended(request: AuthRequest, response: Response) -> Response:
    for token in request.cookies_of_service.session_tokens(request.cookie_header):
        sessions.end_by_token(request.db, token)
    request.cookies_of_service.clear_session(response)
    return response
