"""POST oauth2/revoke: clients give their tokens back."""

from pyramid.response import Response
from pyramid.view import view_config

from authservice.oauth.request import REVOCATION
from authservice.oauth.server import server
from authservice.web.answers import protocol_response
from authservice.web.oauth_request import oauth_request
from authservice.web.request import AuthRequest


# No form token: the client authenticates itself, and cookies are not read.
@view_config(route_name="oauth2.revoke", request_method="POST", require_csrf=False)
def revoke(request: AuthRequest) -> Response:
    """Answer a revocation request (RFC 7009, section 2)."""
    return protocol_response(server.create_revocation_response(oauth_request(request, REVOCATION)))
