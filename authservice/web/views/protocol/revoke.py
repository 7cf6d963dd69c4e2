"""POST oauth2/revoke: clients give their tokens back."""

from pyramid.response import Response
from pyramid.view import view_config

from authservice.oauth import revocation
from authservice.web.protocol_response import protocol_response
from authservice.web.request import AuthRequest
from authservice.web.request_body import form_pairs


# No form token: the client authenticates itself, and cookies are not read.
@view_config(route_name="oauth2.revoke", request_method="POST", require_csrf=False)
def revoke(request: AuthRequest) -> Response:
    """Answer a revocation request (RFC 7009, section 2)."""
    answer = revocation.revoke(
        request.server_context, request.environ.get("HTTP_AUTHORIZATION"), form_pairs(request)
    )
    return protocol_response(answer)
