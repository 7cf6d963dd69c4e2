"""GET jwks: the public halves of the signing keys."""

from pyramid.response import Response
from pyramid.view import view_config

from authservice.web.request import AuthRequest
from authservice.web.static_document import document_answer


@view_config(route_name="jwks", request_method="GET")
def jwks(request: AuthRequest) -> Response:
    """Return the JSON Web Key Set (RFC 7517, section 5)."""
    return document_answer(request, request.signing_keys.document)
