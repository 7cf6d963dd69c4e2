"""POST oauth2/introspect: whether a token is active, for clients that have a secret."""

from pyramid.response import Response
from pyramid.view import view_config

from authservice.oauth import introspection
from authservice.web.protocol_response import protocol_response
from authservice.web.request import AuthRequest
from authservice.web.request_body import form_pairs


# No form token: the client authenticates itself, and cookies are not read.
@view_config(route_name="oauth2.introspect", request_method="POST", require_csrf=False)
def introspect(request: AuthRequest) -> Response:
    """Answer an introspection request (RFC 7662, section 2)."""
    answer = introspection.introspect(
        request.server_context, request.environ.get("HTTP_AUTHORIZATION"), form_pairs(request)
    )
    return protocol_response(answer)
