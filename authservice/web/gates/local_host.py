"""Local mode answers requests for this machine only, at one address for browsers (tweens).

A page on the internet can make its own host name resolve to 127.0.0.1 and so reach a service on
the developer's machine; such a request names that host. Cookies belong to a host, too: a sign-in
that begins on 127.0.0.1 and comes back to localhost would look like one of another browser.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from pyramid.response import Response

from authservice.settings.hosts import host_of, is_loopback, origin_of
from authservice.web import routes
from authservice.web.answers import error_json
from authservice.web.request.auth_request import AuthRequest
from authservice.web.routes import Surface

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


_FOR_BROWSERS = {Surface.PAGE, Surface.BROWSER_PROTOCOL}
# Every visible character: what is percent-encoded stays so, and nothing else gets into a header.
_KEPT = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"


def local_address(
    handler: Callable[[Any], Response],
    registry: Any,
) -> Callable[[Any], Response]:
    """Return the handler behind the way to AUTH_URL (a Pyramid tween factory)."""

    def tween(request: AuthRequest) -> Response:
        auth_url = registry.components.settings.auth_url
        if _is_navigation(request.environ) and _is_by_another_name(request.environ, auth_url):
            return _to(auth_url, request.environ)
        response: Response = handler(request)
        return response

    return tween


def _is_navigation(environ: Mapping[str, Any]) -> bool:
    """Tell whether a browser opens a page here, or brings an application's request."""
    if environ["REQUEST_METHOD"] not in {"GET", "HEAD"}:
        return False
    if routes.SURFACES.get(environ.get("PATH_INFO", "")) not in _FOR_BROWSERS:
        return False
    mode = environ.get("HTTP_SEC_FETCH_MODE")
    # Some browsers say nothing of it over plain HTTP, but all of them ask for HTML.
    return mode == "navigate" if mode else "text/html" in environ.get("HTTP_ACCEPT", "")


def _is_by_another_name(environ: Mapping[str, Any], auth_url: str) -> bool:
    """Tell whether the Host header is AUTH_URL's but for the name of this machine.

    With another port it is that of a proxy in front, which would come here again and again.
    """
    scheme = auth_url.partition("://")[0]
    origin = origin_of(f"{scheme}://{environ.get('HTTP_HOST', '')}")
    if origin is None or origin == auth_url:
        return False
    port = origin.removeprefix(f"{scheme}://{host_of(origin)}")
    return auth_url == f"{scheme}://{host_of(auth_url)}{port}"


def _to(auth_url: str, environ: Mapping[str, Any]) -> Response:
    query = environ.get("QUERY_STRING", "")
    parts = [auth_url, environ["PATH_INFO"], "?" if query else "", quote(query, _KEPT, "latin-1")]
    response = Response(status=307)
    response.headers.pop("Content-Type", None)
    response.headers["Location"] = "".join(parts)
    response.headers["Cache-Control"] = "no-store"
    return response
