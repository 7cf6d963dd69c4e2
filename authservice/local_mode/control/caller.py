"""Who may ask: a program on this machine that has the token, and no page of any site."""

from collections.abc import Mapping
from typing import Any

from authservice.crypto.secret_values import equal
from authservice.local_mode.control.errors import ControlError

_OF_PAGES = "A page must not control local mode: send no Origin and no Sec-Fetch-Site"


def require(environ: Mapping[str, Any], control_token: str | None) -> None:
    """Raise ControlError unless a request may be obeyed.

    Neither query nor cookie can hold the token. A browser sends both along wherever a page makes
    it go, and so it would send the headers of its own that are refused here.
    """
    if "HTTP_ORIGIN" in environ:
        raise ControlError(403, _OF_PAGES, "Origin")
    if environ.get("HTTP_SEC_FETCH_SITE", "none") != "none":
        raise ControlError(403, _OF_PAGES, "Sec-Fetch-Site", ["none"])
    scheme, _, token = environ.get("HTTP_AUTHORIZATION", "").partition(" ")
    known = control_token is not None and equal(token.strip(), control_token)
    if scheme.lower() != "bearer" or not known:
        message = "Send Authorization: Bearer with the token of the file control-token"
        raise ControlError(401, message, "Authorization")
