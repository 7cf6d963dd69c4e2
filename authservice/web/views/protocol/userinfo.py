"""GET and POST oauth2/userinfo: the claims behind an access token."""

from pyramid.response import Response
from pyramid.view import view_config

from authservice.oauth.request import USERINFO
from authservice.oauth.server import server
from authservice.web.answers import protocol_response
from authservice.web.oauth_request import oauth_request
from authservice.web.request import AuthRequest


# No form token: the access token is the credential, and cookies are not read.
@view_config(route_name="oauth2.userinfo", request_method=("GET", "POST"), require_csrf=False)
def userinfo(request: AuthRequest) -> Response:
    """Return the claims (OIDC Core, 5.3)."""
    return protocol_response(server.create_userinfo_response(oauth_request(request, USERINFO)))
