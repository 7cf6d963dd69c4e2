"""POST oauth2/token: codes and refresh tokens into tokens."""

from pyramid.response import Response
from pyramid.view import view_config

from authservice.oauth.token.endpoint import token_endpoint
from authservice.web.protocol_response import protocol_response
from authservice.web.request import AuthRequest
from authservice.web.request_body import form_pairs


# No form token: the client authenticates itself, and cookies are not read.
@view_config(route_name="oauth2.token", request_method="POST", require_csrf=False)
def token(request: AuthRequest) -> Response:
    """Answer a token request (RFC 6749, section 3.2)."""
    answer = token_endpoint.create_token_response(
        request.server_context, request.environ.get("HTTP_AUTHORIZATION"), form_pairs(request)
    )
    return protocol_response(answer)
