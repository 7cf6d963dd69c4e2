"""Local mode answers requests for this machine only (a tween).

A page on the internet can make its own host name resolve to 127.0.0.1 and so reach a service on
the developer's machine; such a request names that host.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from pyramid.response import Response

from authservice.settings.hosts import is_loopback
from authservice.web.answers import error_json
from authservice.web.request.auth_request import AuthRequest

OTHER_HOST = (
    "Local mode answers localhost only: use localhost, a name under .localhost, 127.0.0.1 or [::1]"
)


def local_guard(
    handler: Callable[[Any], Response],
    _registry: object,
) -> Callable[[Any], Response]:
    """Return the handler behind the check of the Host header (a Pyramid tween factory)."""

    def tween(request: AuthRequest) -> Response:
        if not is_here(request.environ.get("HTTP_HOST", "")):
            return error_json(403, OTHER_HOST, "HOST_NOT_ALLOWED")
        response: Response = handler(request)
        return response

    return tween


@lru_cache
def is_here(host: str) -> bool:
    """Tell whether a Host header names this machine."""
    return is_loopback(re.sub(r":\d{1,5}$", "", host.lower()))
