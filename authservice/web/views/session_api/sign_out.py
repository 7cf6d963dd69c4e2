"""Signing out: POST sign-out for applications, and the form on our own pages."""

from pyramid.response import Response
from pyramid.view import view_config

from authservice.web.answers import json_answer
from authservice.web.gates import csrf
from authservice.web.redirects import see_other
from authservice.web.request import AuthRequest
from authservice.web.request_body import json_object
from authservice.web.session.session_end import end_presented_sessions


@view_config(route_name="sign_out", request_method="POST", require_csrf=False)
def sign_out(request: AuthRequest) -> Response:
    """End the session of the cookie and clear the cookie, also if the session has ended already."""
    # No form token: the Origin rule of the session API stands in its place.
    refused = csrf.refused_origin(request)
    if refused is not None:
        return refused
    json_object(request)
    return end_presented_sessions(request, json_answer({"success": True}))


@view_config(route_name="sign_out_page", request_method="POST")
def sign_out_page(request: AuthRequest) -> Response:
    """End the session and say so."""
    response = see_other(f"{request.auth_settings.auth_url}/signed-out")
    return end_presented_sessions(request, response)
