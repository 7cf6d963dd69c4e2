"""Documents that are the same for everybody: ready bytes that clients may keep for a while."""

import hashlib

from pyramid.response import Response

from authservice.web.request import AuthRequest

# Long enough to spare requests, short enough for a new signing key to be seen in time.
_CACHE = "public, max-age=300, stale-while-revalidate=300"


def document_answer(request: AuthRequest, document: bytes) -> Response:
    """Return the document, or 304 to a client that has it already."""
    tag = f'"{hashlib.sha256(document).hexdigest()[:32]}"'
    if is_known(request, tag):
        response = Response(status=304)
        response.headers.pop("Content-Type", None)
    else:
        response = Response(document, content_type="application/json")
    response.headers["Cache-Control"] = _CACHE
    response.headers["ETag"] = tag
    return response


def is_known(request: AuthRequest, tag: str) -> bool:
    """Tell whether a client has what an entity tag stands for (RFC 9110, section 13.1.2)."""
    known: str = request.environ.get("HTTP_IF_NONE_MATCH", "")
    # Compared weakly: who compresses on the way weakens the tag.
    parts = {part.strip().removeprefix("W/") for part in known.split(",")}
    return known == "*" or tag.removeprefix("W/") in parts
