"""Request bodies: forms and JSON objects, read strictly.

Each reader raises BadBodyError with the status and the sentence that belong to the fault.
"""

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl

from authservice.web.request.auth_request import AuthRequest

_FORM = "application/x-www-form-urlencoded"
_MAX_FIELDS = 100


class BadBodyError(Exception):
    """A body that cannot be read as what the endpoint takes."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message


def form_pairs(request: AuthRequest) -> list[tuple[str, str]]:
    """Return the fields of a form-encoded body in order, repeated ones too."""
    body: bytes = request.body
    if not body:
        return []
    if _media_type(request) != _FORM:
        raise BadBodyError(400, "UNSUPPORTED_MEDIA_TYPE", f"The body must be {_FORM}.")
    try:
        pairs = _pairs(body.decode("ascii"))
    except ValueError:
        raise BadBodyError(400, "BAD_REQUEST", "The form is not UTF-8 text.") from None
    if any("\x00" in text for pair in pairs for text in pair):
        raise BadBodyError(400, "BAD_REQUEST", "The form holds a NUL character.")
    return pairs


def query_pairs(request: AuthRequest) -> list[tuple[str, str]]:
    """Return the parameters of the query in order, repeated ones too."""
    try:
        return _pairs(request.environ.get("QUERY_STRING", ""))
    except ValueError:
        raise BadBodyError(400, "BAD_REQUEST", "The query cannot be read.") from None


def json_object(
    request: AuthRequest,
    members: Callable[[list[tuple[str, Any]]], dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """Return the members of a JSON body; an empty body is an empty object.

    ``members`` makes each object of its pairs, and may refuse them.
    """
    body: bytes = request.body
    if not body:
        return {}
    if _media_type(request) != "application/json":
        raise BadBodyError(415, "UNSUPPORTED_MEDIA_TYPE", "The body must be application/json")
    try:
        content = json.loads(body.decode("utf-8"), object_pairs_hook=members)
    except (ValueError, RecursionError):
        raise BadBodyError(400, "BAD_REQUEST", "The body is not valid JSON") from None
    if not isinstance(content, dict):
        raise BadBodyError(400, "BODY_MUST_BE_AN_OBJECT", "The body must be a JSON object")
    return content


def optional_text(content: dict[str, Any], name: str) -> str | None:
    """Return a member that is text or absent."""
    value = content.get(name)
    if value is not None and not isinstance(value, str):
        raise BadBodyError(400, "VALIDATION_ERROR", f"[body.{name}] must be a string")
    return value


def _media_type(request: AuthRequest) -> str:
    header: str = request.environ.get("CONTENT_TYPE", "")
    return header.partition(";")[0].strip().lower()


def _pairs(text: str) -> list[tuple[str, str]]:
    return parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=_MAX_FIELDS)
