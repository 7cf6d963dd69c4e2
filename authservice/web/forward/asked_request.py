"""The request that a proxy asks about, as headers tell of it that any sender could make up.

So they are read from trusted proxies only. The address serves to come back to after a sign-in, and
is checked like every other such address.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from authservice.web.forward import identity_headers
from authservice.web.request.auth_request import AuthRequest
from authservice.web.request.client_address import is_trusted

_VISIBLE = r"[^\x00-\x20\x7f]"
# A name of DNS, or an address, and a port: anything else is told apart by the rules for origins.
_HOST = r"[^\x00-\x20\x7f/?#@\\,]{1,260}"
_ORIGINAL_URL = re.compile(rf"(https?://{_HOST})([/?#]{_VISIBLE}*)?")
# What headers must be, and how that is said.
_IS_METHOD = re.compile(r"[A-Z][A-Z-]*"), "a method in capital letters"
_METHOD = "HTTP_X_FORWARDED_METHOD", *_IS_METHOD
_ORIGINAL_METHOD = "HTTP_X_ORIGINAL_METHOD", *_IS_METHOD
_PROTO = "HTTP_X_FORWARDED_PROTO", re.compile(r"https?|wss?"), "http or https"
_FORWARDED_HOST = (
    "HTTP_X_FORWARDED_HOST",
    re.compile(_HOST),
    "a host, with its port where that is not the usual one",
)
_URI = "HTTP_X_FORWARDED_URI", re.compile(rf"/{_VISIBLE}*"), "a path, with its query"
# Some proxies name the scheme of a websocket.
_SCHEMES = {"ws": "http", "wss": "https"}
# Browsers send these as they are. In an address they are percent-encoded.
_UNLIKE_AN_ADDRESS = re.compile(r"[\\\x80-\xff]")
_KEPT = "!\"#$%&'()*+,-./:;<=>?@[]^_`{|}~"
# What no browser sends with a preflight (Fetch, 4.8), and by what an application could take it for
# another request. Bodies are not sent here, so proxies tell of them by headers that end so.
_ASKS_FOR_METHOD = "HTTP_ACCESS_CONTROL_REQUEST_METHOD"
_NOT_OF_A_PREFLIGHT = ("HTTP_COOKIE", "HTTP_AUTHORIZATION", "HTTP_UPGRADE")
_LENGTH, _CODING = "CONTENT_LENGTH", "TRANSFER_ENCODING"


class RefusedRequestError(Exception):
    """What a proxy says cannot be gone by; the message names the rule."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True, slots=True)
class AskedRequest:
    """A request to an application: its absolute address, and whether a browser opens a page.

    Or whether it only asks if a script may send a request to another origin.
    """

    address: str
    is_navigation: bool
    is_preflight: bool


def original_url(request: AuthRequest) -> str:
    """Return the address in X-Original-URL; raises RefusedRequestError."""
    _require_proxy(request)
    parts = _ORIGINAL_URL.fullmatch(request.environ.get("HTTP_X_ORIGINAL_URL", ""))
    if parts is None:
        raise RefusedRequestError(
            "INVALID_ORIGINAL_URL",
            "X-Original-URL must be the absolute address that is asked for, without spaces",
        )
    return _on_site(request, parts[1], parts[2] or "")


def forwarded(request: AuthRequest) -> AskedRequest:
    """Return what X-Forwarded-Method, -Proto, -Host and -Uri tell; raises RefusedRequestError."""
    _require_proxy(request)
    method = _said(request, *_METHOD)
    proto = _said(request, *_PROTO)
    host = _said(request, *_FORWARDED_HOST)
    uri = _said(request, *_URI)
    address = _on_site(request, f"{_SCHEMES.get(proto, proto)}://{host}", uri)
    return AskedRequest(
        address,
        is_navigation=method in {"GET", "HEAD"} and _opens_a_page(request),
        is_preflight=method == "OPTIONS" and _is_preflight(request.environ, _METHOD[0]),
    )


def original_is_preflight(request: AuthRequest) -> bool:
    """Tell whether X-Original-Method and the visitor's headers are those of a preflight.

    Raises RefusedRequestError without that header: a visitor could send it in the proxy's place.
    """
    method = _said(request, *_ORIGINAL_METHOD)
    return method == "OPTIONS" and _is_preflight(request.environ, _ORIGINAL_METHOD[0])


def _require_proxy(request: AuthRequest) -> None:
    """Refuse a sender that is no trusted proxy, and headers that an application would believe."""
    sender = request.environ.get("REMOTE_ADDR", "")
    if not is_trusted(sender, request.auth_settings.trusted_proxies):
        raise RefusedRequestError(
            "PROXY_NOT_TRUSTED", "Only a proxy that auth.trusted_proxies names may ask here"
        )
    if identity_headers.has_others(request.environ):
        raise RefusedRequestError(
            "INVALID_IDENTITY_HEADER",
            "A request to an application may have no header whose name begins with Remote, but for"
            " Remote-User, -Name, -Email, -Username and -Groups, which the proxy replaces",
        )


def _said(request: AuthRequest, name: str, pattern: re.Pattern[str], rule: str) -> str:
    value: str = request.environ.get(name, "")
    if not pattern.fullmatch(value):
        header = name.removeprefix("HTTP_").replace("_", "-").title()
        raise RefusedRequestError(
            "INVALID_FORWARDED_REQUEST", f"{header} must come once, and be {rule}"
        )
    return value


def _opens_a_page(request: AuthRequest) -> bool:
    """Tell whether a browser navigates. Old ones do not say so, but ask for HTML."""
    mode: str | None = request.environ.get("HTTP_SEC_FETCH_MODE")
    if mode is not None:
        return mode == "navigate"
    return "text/html" in request.environ.get("HTTP_ACCEPT", "")


def _is_preflight(environ: Mapping[str, Any], told_by: str) -> bool:
    if not (environ.get("HTTP_ORIGIN") and environ.get(_ASKS_FOR_METHOD)):
        return False
    if any(environ.get(name) for name in _NOT_OF_A_PREFLIGHT):
        return False
    methods = {told_by, _ASKS_FOR_METHOD}
    return not any(
        (name.endswith(_LENGTH) and value.strip("0"))
        or (name.endswith(_CODING) and value)
        # X-HTTP-Method-Override, X-HTTP-Method, X-Method-Override and the like.
        or ("METHOD" in name and name not in methods)
        for name, value in environ.items()
        if name.startswith("HTTP_") or name == _LENGTH
    )


def _on_site(request: AuthRequest, front: str, rest: str) -> str:
    """Return the address as it is written in a link; raises RefusedRequestError."""
    if not request.components.origins.shares_session(front):
        raise RefusedRequestError(
            "INVALID_ADDRESS",
            "The address that is asked for must lie on a trusted origin of this service's own site",
        )
    if _UNLIKE_AN_ADDRESS.search(rest):
        rest = quote(rest, safe=_KEPT, encoding="latin-1")
    return front + rest
