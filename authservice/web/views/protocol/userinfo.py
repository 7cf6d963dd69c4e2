"""GET and POST oauth2/userinfo: the claims behind an access token."""

from pyramid.response import Response
from pyramid.view import view_config

from authservice.oauth.userinfo import userinfo_endpoint
from authservice.web.protocol_response import protocol_response
from authservice.web.request import AuthRequest
from authservice.web.request_body import form_pairs


# No form token: the access token is the credential, and cookies are not read.
@view_config(route_name="oauth2.userinfo", request_method=("GET", "POST"), require_csrf=False)
def userinfo(request: AuthRequest) -> Response:
    """Return the claims (OIDC Core, 5.3)."""
    form = form_pairs(request) if request.method == "POST" else []
    answer = userinfo_endpoint.create_userinfo_response(
        request.server_context, request.environ.get("HTTP_AUTHORIZATION"), form
    )
    return protocol_response(answer)
