"""Documents that are the same for all clients: ready bytes that may be cached for a while."""

import hashlib
from functools import lru_cache

from pyramid.response import Response

from authservice.web.answers import ReadyAnswer
from authservice.web.request.auth_request import AuthRequest

# Long enough to spare requests, short enough for a new signing key to be seen in time.
_CACHE = "public, max-age=300, stale-while-revalidate=300"


def document_answer(request: AuthRequest, document: bytes) -> Response:
    """Return the document, or 304 to a client that has it already."""
    tag = _tag(document)
    headers = [("Cache-Control", _CACHE), ("ETag", tag)]
    if is_known(request, tag):
        return Response(status=304, headerlist=headers)
    headers.append(("Content-Type", "application/json"))
    return ReadyAnswer(document, headers)


def is_known(request: AuthRequest, tag: str) -> bool:
    """Tell whether a client has what an entity tag stands for (RFC 9110, section 13.1.2)."""
    known: str = request.environ.get("HTTP_IF_NONE_MATCH", "")
    if not known:
        return False
    # Compared weakly: who compresses on the way weakens the tag.
    parts = {part.strip().removeprefix("W/") for part in known.split(",")}
    return known == "*" or tag.removeprefix("W/") in parts


@lru_cache(maxsize=16)
def _tag(document: bytes) -> str:
    return f'"{hashlib.sha256(document).hexdigest()[:32]}"'
