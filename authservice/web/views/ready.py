"""GET /api/ready: whether requests may be sent here, and what is wrong by name."""

from pyramid.response import Response
from pyramid.view import view_config

from authservice.web import readiness
from authservice.web.json_answer import json_answer
from authservice.web.request import AuthRequest


@view_config(route_name="ready", request_method="GET")
def ready(request: AuthRequest) -> Response:
    """Return ``ready``, ``degraded`` where it serves all the same, or 503 and ``unavailable``."""
    found = readiness.conditions(request)
    serves = all(condition.serves for condition in found)
    content = {
        "status": ("degraded" if found else "ready") if serves else "unavailable",
        "service": request.auth_settings.service_name,
        "conditions": {condition.name: condition.meaning for condition in found},
    }
    response = json_answer(content, 200 if serves else 503)
    if not serves:
        response.headers["Retry-After"] = "5"
    return response
