"""Every endpoint of the control API in one table: a new one is a line here and a function.

A function takes the request and, by name, the variables of its path. What it raises as
ControlError is answered, and then nothing of what it did is committed.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pyramid.response import Response

from authservice.local_mode.control import (
    clock,
    consents,
    keys,
    persons,
    requests,
    reset,
    sessions,
    tokens,
)
from authservice.local_mode.control.errors import ControlError
from authservice.local_mode.control.fields import Fields, check_query

PREFIX = "/api/local/"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One method of one path; ``{name}`` in a path stands for a segment.

    One that takes no body takes ``{}`` too. ``query`` names its parameters.
    """

    method: str
    path: str
    view: Callable[..., Response]
    body: bool = False
    query: tuple[str, ...] = ()

    def match(self, path: str) -> dict[str, str] | None:
        """Return the variables of a path that is this one, else None."""
        pattern = re.sub(r"{(\w+)}", r"(?P<\1>[^/]+)", self.path)
        match = re.fullmatch(pattern, path)
        return None if match is None else match.groupdict()


ENDPOINTS = (
    Endpoint("GET", "persons", persons.list_persons),
    Endpoint("PUT", "persons/{person_id}", persons.put_person, body=True),
    Endpoint("DELETE", "persons/{person_id}", persons.delete_person),
    Endpoint("DELETE", "persons/{person_id}/sessions", persons.delete_sessions),
    Endpoint("POST", "sessions", sessions.post_session, body=True),
    Endpoint("DELETE", "sessions/{session_id}", sessions.delete_session),
    Endpoint("PUT", "consents", consents.put_consent, body=True),
    Endpoint("DELETE", "consents", consents.delete_consent, body=True),
    Endpoint("POST", "clock", clock.turn_clock, body=True),
    Endpoint("POST", "keys/rotate", keys.rotate),
    Endpoint("POST", "keys/retire", keys.retire, body=True),
    Endpoint("POST", "tokens", tokens.issue, body=True),
    Endpoint("GET", "requests", requests.list_requests, query=requests.NAMES),
    Endpoint("POST", "reset", reset.reset),
)


def call(request: Any, path: str) -> Response:
    """Return what the endpoint of a request answers; raises ControlError, 404 and 405 too."""
    candidates = [(each, names) for each in ENDPOINTS if (names := each.match(path)) is not None]
    if not candidates:
        paths = dict.fromkeys(f"{PREFIX}{each.path}" for each in ENDPOINTS)
        raise ControlError(404, "There is no such endpoint", "path", paths)
    method = "GET" if request.method == "HEAD" else request.method
    for endpoint, names in candidates:
        if endpoint.method == method:
            check_query(request, endpoint.query)
            if not endpoint.body:
                Fields.of(request, ())
            return endpoint.view(request, **names)
    allowed = [each.method for each, _ in candidates]
    raise ControlError(405, "This endpoint has other methods", "method", allowed)
