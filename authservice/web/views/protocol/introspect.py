"""POST oauth2/introspect: whether a token is active, for clients that have a secret."""

from pyramid.response import Response
from pyramid.view import view_config

from authservice.oauth.request import INTROSPECTION
from authservice.oauth.server import server
from authservice.web.answers import protocol_response
from authservice.web.oauth_request import oauth_request
from authservice.web.request import AuthRequest


# No form token: the client authenticates itself, and cookies are not read.
@view_config(route_name="oauth2.introspect", request_method="POST", require_csrf=False)
def introspect(request: AuthRequest) -> Response:
    """Answer an introspection request (RFC 7662, section 2)."""
    return protocol_response(
        server.create_introspect_response(oauth_request(request, INTROSPECTION))
    )
