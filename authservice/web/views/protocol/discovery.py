"""The metadata document, at the three addresses where clients look for it."""

from pyramid.response import Response
from pyramid.view import view_config

from authservice.web.request import AuthRequest
from authservice.web.static_document import document_answer


@view_config(route_name="well_known.openid_configuration", request_method="GET")
@view_config(route_name="well_known.oauth_authorization_server", request_method="GET")
@view_config(route_name="well_known.path_inserted", request_method="GET")
def metadata(request: AuthRequest) -> Response:
    """Return what this server is able to do (OIDC Discovery, 4.2; RFC 8414, 3.2)."""
    return document_answer(request, request.components.metadata)
