"""GET ok: the session API answers."""

from pyramid.response import Response
from pyramid.view import view_config

from authservice.web.answers import json_answer
from authservice.web.request import AuthRequest


@view_config(route_name="ok", request_method="GET")
def ok(_request: AuthRequest) -> Response:
    """Return that all is well."""
    return json_answer({"ok": True})
