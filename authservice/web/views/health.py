"""GET /api/health: the process serves. Neither the database nor a secret is touched."""

import json

from pyramid.response import Response
from pyramid.view import view_config

from authservice.web.request import AuthRequest


@view_config(route_name="health", request_method="GET")
def health(request: AuthRequest) -> Response:
    """Return that the service is up, and its name."""
    content = {"status": "ok", "service": request.auth_settings.service_name}
    response = Response(json.dumps(content).encode(), content_type="application/json")
    response.headers["Cache-Control"] = "no-store"
    return response
