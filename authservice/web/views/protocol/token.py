"""POST oauth2/token: codes and refresh tokens into tokens."""

from pyramid.response import Response
from pyramid.view import view_config

from authservice.oauth.request import TOKEN
from authservice.oauth.server import server
from authservice.web.answers import protocol_response
from authservice.web.oauth_request import oauth_request
from authservice.web.request import AuthRequest


# No form token: the client authenticates itself, and cookies are not read.
@view_config(route_name="oauth2.token", request_method="POST", require_csrf=False)
def token(request: AuthRequest) -> Response:
    """Answer a token request (RFC 6749, section 3.2)."""
    return protocol_response(server.create_token_response(oauth_request(request, TOKEN)))
