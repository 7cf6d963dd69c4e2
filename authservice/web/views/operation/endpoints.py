"""What operators and tools call: health, readiness, and the description of every endpoint."""

from functools import cache
from typing import Any

from pyramid.response import Response
from pyramid.view import view_config

from authservice.crypto.compact_json import compact
from authservice.settings.version import __version__
from authservice.web import readiness
from authservice.web.answers import ReadyAnswer, json_answer
from authservice.web.request.auth_request import AuthRequest
from authservice.web.request.client_address import is_from_operator
from authservice.web.static_document import document_answer


@view_config(route_name="health", request_method="GET")
def health(request: AuthRequest) -> Response:
    """Return that the process serves, and its name; neither database nor secret is touched."""
    headers = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
    return ReadyAnswer(_health(request.auth_settings.service_name), headers)


@cache
def _health(service_name: str) -> bytes:
    return compact({"status": "ok", "service": service_name}).encode()


@view_config(route_name="ready", request_method="GET")
def ready(request: AuthRequest) -> Response:
    """Return ``ready``, ``degraded`` where it serves all the same, or 503 and ``unavailable``.

    Only this machine and trusted proxies learn which part is down, and which version runs: that
    would help an attacker. All learn whether the proxy names the sender of a request.
    """
    conditions = readiness.conditions(request)
    serves = all(condition.serves for condition in conditions)
    sender_known = request.components.silent_proxy.knows_sender(request.environ)
    told = sender_known and is_from_operator(request.environ, request.auth_settings.trusted_proxies)
    shown = conditions if told else []
    content: dict[str, Any] = {
        "status": ("degraded" if conditions else "ready") if serves else "unavailable",
        "service": request.auth_settings.service_name,
        "conditions": {condition.name: condition.meaning for condition in shown},
        "sender_known": sender_known,
    }
    if told:
        content["version"] = __version__
    response = json_answer(content, 200 if serves else 503)
    if not serves:
        response.headers["Retry-After"] = "5"
    return response


@view_config(route_name="openapi", request_method="GET")
def openapi(request: AuthRequest) -> Response:
    """Return the OpenAPI 3.1 document."""
    return document_answer(request, request.components.openapi)
