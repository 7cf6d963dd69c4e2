"""GET /api/openapi.json: the description of every endpoint, for programs."""

from pyramid.response import Response
from pyramid.view import view_config

from authservice.web.request import AuthRequest
from authservice.web.static_document import document_answer


@view_config(route_name="openapi", request_method="GET")
def openapi(request: AuthRequest) -> Response:
    """Return the OpenAPI 3.1 document."""
    return document_answer(request, request.components.openapi)
