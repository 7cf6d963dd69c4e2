"""How the control API refuses: what is wrong, where, and what is allowed there."""

from collections.abc import Iterable

from pyramid.response import Response

from authservice.web.answers import json_answer


class ControlError(Exception):
    """A refused request; none of it is done.

    ``field`` is the member or parameter that is wrong, and ``allowed`` what it may be.
    """

    def __init__(
        self, status: int, error: str, field: str | None = None, allowed: Iterable[str] = ()
    ) -> None:
        super().__init__(error)
        self.status = status
        self.error = error
        self.field = field
        self.allowed = list(allowed)


def invalid(error: str, field: str, allowed: Iterable[str] = ()) -> ControlError:
    """Return the refusal of a member or parameter: 400."""
    return ControlError(400, error, field, allowed)


def unknown(what: str, field: str, allowed: Iterable[str] = ()) -> ControlError:
    """Return the refusal of what is not there: 404."""
    return ControlError(404, f"There is no such {what}", field, allowed)


def answer(error: ControlError, _request: object) -> Response:
    """Return the refusal as JSON."""
    content = {"error": error.error, "field": error.field, "allowed": error.allowed}
    response = json_answer(content, error.status)
    if error.status == 401:  # noqa: PLR2004  (RFC 9110, 15.5.2: it names a scheme)
        response.headers["WWW-Authenticate"] = 'Bearer realm="local mode"'
    if error.status == 405:  # noqa: PLR2004  (RFC 9110, 15.5.6: it names the methods)
        response.headers["Allow"] = ", ".join(error.allowed)
    return response
