"""What was wrong with a request, as its answer says it: on a page, in JSON or in a redirect."""

import json
import re
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from pyramid.response import Response

from authservice.local_mode.request_log.shown_parameters import of_query

_FIRST_ERROR = 400
_CHALLENGE = re.compile(r'error="([^"]*)"(?:, *error_description="([^"]*)")?')


def of_page(values: dict[str, Any]) -> dict[str, Any] | None:
    """Return what a page is about to say that is wrong, or None for one that says nothing so."""
    if "advice" in values:
        description = values.get("description") or str(values["message"])
        return _refusal(values["code"], description)
    fields = dict(values.get("fields") or ()) if "redirect_uri" in values else {}
    return _of(fields)


def of_answer(response: Response) -> dict[str, Any] | None:
    """Return what an answer says that is wrong, or None where nothing is."""
    if response.location:
        return _of(dict(parse_qsl(urlsplit(response.location).query)))
    if response.status_int < _FIRST_ERROR:
        return None
    if response.content_type == "application/json":
        content = json.loads(response.body)
        if isinstance(content, dict) and (refusal := _of(content)) is not None:
            return refusal
    challenge = _CHALLENGE.search(response.headers.get("WWW-Authenticate", ""))
    if challenge is not None:
        return _refusal(challenge[1], challenge[2])
    return _refusal(None, response.status)


def leads_to(response: Response) -> dict[str, Any] | None:
    """Return where a redirect leads, its parameters masked as those of a request."""
    if not response.location:
        return None
    address, _, query = response.location.partition("?")
    return {"address": address, "parameters": of_query(query.partition("#")[0])}


def _of(content: dict[str, Any]) -> dict[str, Any] | None:
    """Return the error among members or parameters, in the words of OAuth or the session API."""
    if content.get("error"):
        return _refusal(content["error"], content.get("error_description"))
    if content.get("code") and content.get("message"):
        return _refusal(content["code"], content["message"])
    return None


def _refusal(code: object, description: object) -> dict[str, Any]:
    return {"code": code, "description": description}
