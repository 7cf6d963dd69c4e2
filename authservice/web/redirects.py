"""Redirects, always by GET and never stored (RFC 9700, section 4.12: 303 after a form)."""

from pyramid.response import Response


def see_other(location: str) -> Response:
    """Return a 303 to an address that the caller has checked."""
    response = Response(status=303)
    response.headers.pop("Content-Type", None)
    # Set as it is: the client compares its redirect URI character by character.
    response.headers["Location"] = location
    response.headers["Cache-Control"] = "no-store"
    return response
