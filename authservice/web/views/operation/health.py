"""GET /api/health: the process serves. Neither the database nor a secret is touched."""

from functools import cache

from pyramid.response import Response
from pyramid.view import view_config

from authservice.crypto.compact_json import compact
from authservice.web.answers import ReadyAnswer
from authservice.web.request import AuthRequest


@view_config(route_name="health", request_method="GET")
def health(request: AuthRequest) -> Response:
    """Return that the service is up, and its name."""
    headers = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
    return ReadyAnswer(_content(request.auth_settings.service_name), headers)


@cache
def _content(service_name: str) -> bytes:
    return compact({"status": "ok", "service": service_name}).encode()
