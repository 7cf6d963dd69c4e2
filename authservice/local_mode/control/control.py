"""Every endpoint of the control API in one table: a new one is a line here and a function.

Who asks is checked before anything else is looked at. What a function raises as ControlError is
answered, and then nothing of what it did is committed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pyramid.response import Response

from authservice.crypto.secret_values import equal
from authservice.local_mode.control import fields, persons, service_state, tokens
from authservice.local_mode.control.fields import ControlError, Fields, check_query
from authservice.local_mode.local_components import local
from authservice.web.gates.junk_guard import junk
from authservice.web.gates.local_host import OTHER_HOST, is_here
from authservice.web.request.auth_request import AuthRequest

PREFIX = "/api/local/"
_ROUTE = "local_mode.control"
_GATES = "authservice.web.gates"
_OF_PAGES = "A page must not control local mode: send no Origin and no Sec-Fetch-Site"

View = Callable[[Any, Any], Response]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One method of one path; ``{name}`` in a path stands for a segment.

    One that takes no body takes ``{}`` too. ``query`` names its parameters.
    """

    method: str
    path: str
    view: Callable[[AuthRequest], Response]
    body: bool = False
    query: tuple[str, ...] = ()

    def __call__(self, request: AuthRequest) -> Response:
        """Return the answer, if the request has nothing that the endpoint does not know."""
        check_query(request, self.query)
        if not self.body:
            Fields.of(request, ())
        return self.view(request)


ENDPOINTS = (
    Endpoint("GET", "persons", persons.list_persons),
    Endpoint("PUT", "persons/{person_id}", persons.put_person, body=True),
    Endpoint("DELETE", "persons/{person_id}", persons.delete_person),
    Endpoint("DELETE", "persons/{person_id}/sessions", persons.delete_sessions),
    Endpoint("POST", "sessions", persons.post_session, body=True),
    Endpoint("DELETE", "sessions/{session_id}", persons.delete_session),
    Endpoint("PUT", "consents", persons.put_consent, body=True),
    Endpoint("DELETE", "consents", persons.delete_consent, body=True),
    Endpoint("POST", "clock", service_state.turn_clock, body=True),
    Endpoint("POST", "keys/rotate", service_state.rotate),
    Endpoint("POST", "keys/retire", service_state.retire, body=True),
    Endpoint("POST", "tokens", tokens.issue, body=True),
    Endpoint("GET", "requests", service_state.list_requests, query=service_state.QUERY),
    Endpoint("POST", "reset", service_state.reset),
)
_PATHS = tuple(dict.fromkeys(each.path for each in ENDPOINTS))


def for_programs(view: View) -> View:
    """Return a view for those who may ask alone (a decorator of Pyramid's views)."""

    def wrapper(context: Any, request: AuthRequest) -> Response:
        _require_program(request.environ, local(request).control_token)
        return view(context, request)

    return wrapper


def _require_program(environ: Mapping[str, Any], control_token: str | None) -> None:
    """Raise ControlError unless a program on this machine asks that has the token.

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


def _unknown_path(_request: AuthRequest) -> Response:
    raise ControlError(404, "There is no such endpoint", "path", [PREFIX + each for each in _PATHS])


def _other_method(path: str) -> Callable[[AuthRequest], Response]:
    allowed = [each.method for each in ENDPOINTS if each.path == path]

    def view(_request: AuthRequest) -> Response:
        raise ControlError(405, "This endpoint has other methods", "method", allowed)

    return view


def readable(handler: Callable[[Any], Response], registry: Any) -> Callable[[Any], Response]:
    """Return the handler for what can be read, and is for this machine.

    All else is refused in the words of this API. A tween: the gates of all requests would refuse it
    in those of the session API.
    """

    def tween(request: AuthRequest) -> Response:
        environ = request.environ
        if not environ.get("PATH_INFO", "").startswith(PREFIX):
            return handler(request)
        if not is_here(environ.get("HTTP_HOST", "")):
            return fields.answer(ControlError(403, OTHER_HOST, "Host"), request)
        fault = junk(environ)
        if fault is None:
            return handler(request)
        try:
            _require_program(environ, registry.components.control_token)
        except ControlError as error:
            return fields.answer(error, request)
        return fields.answer(ControlError(fault.status, fault.message, fault.part), request)

    return tween


def includeme(config: Any) -> None:
    """Add the routes to a router."""
    options = {"require_csrf": False, "decorator": for_programs}
    for path in _PATHS:
        config.add_route(f"{_ROUTE}.{path}", PREFIX + path)
        # For the methods that no other view of the route has.
        config.add_view(_other_method(path), route_name=f"{_ROUTE}.{path}", **options)
    for each in ENDPOINTS:
        route = f"{_ROUTE}.{each.path}"
        config.add_view(each, route_name=route, request_method=each.method, **options)
    # A dot would not stand for the end of a line, which a path may hold too.
    config.add_route(_ROUTE, f"{PREFIX}{{path:[\\s\\S]*}}")
    config.add_view(_unknown_path, route_name=_ROUTE, **options)
    config.add_exception_view(fields.answer, context=ControlError)
    # Within the gates that put headers on every answer.
    config.add_tween(
        f"{__name__}.readable",
        over=f"{_GATES}.junk_guard.junk_guard",
        under=f"{_GATES}.answer_headers.cors",
    )
