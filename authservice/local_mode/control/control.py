"""The one route of the control API: who asks is checked before anything else is looked at."""

from collections.abc import Callable
from typing import Any

from pyramid.response import Response

from authservice.local_mode.control import caller, endpoints, errors
from authservice.local_mode.control.errors import ControlError
from authservice.web.gates.junk_guard import junk
from authservice.web.gates.local_host import OTHER_HOST, is_here

_ROUTE = "local_mode.control"
_GATES = "authservice.web.gates"


def control(request: Any) -> Response:
    """Do what a program asks local mode for."""
    caller.require(request.environ, request.components.control_token)
    return endpoints.call(request, request.matchdict["path"])


def readable(handler: Callable[[Any], Response], registry: Any) -> Callable[[Any], Response]:
    """Return the handler for what can be read, and is for this machine.

    All else is refused in the words of this API. A tween: the gates of all requests would refuse it
    in those of the session API.
    """

    def tween(request: Any) -> Response:
        environ = request.environ
        if not environ.get("PATH_INFO", "").startswith(endpoints.PREFIX):
            return handler(request)
        if not is_here(environ.get("HTTP_HOST", "")):
            return errors.answer(ControlError(403, OTHER_HOST, "Host"), request)
        fault = junk(environ)
        if fault is None:
            return handler(request)
        try:
            caller.require(environ, registry.components.control_token)
        except ControlError as error:
            return errors.answer(error, request)
        return errors.answer(ControlError(fault.status, fault.message, fault.part), request)

    return tween


def includeme(config: Any) -> None:
    """Add the route to a router."""
    # A dot would not stand for the end of a line, which an id in a path may hold too.
    config.add_route(_ROUTE, f"{endpoints.PREFIX}{{path:[\\s\\S]*}}")
    config.add_view(control, route_name=_ROUTE, require_csrf=False)
    config.add_exception_view(errors.answer, context=ControlError)
    # Within the gates that put headers on every answer.
    config.add_tween(
        f"{__name__}.readable",
        over=f"{_GATES}.junk_guard.junk_guard",
        under=f"{_GATES}.answer_headers.cors",
    )
