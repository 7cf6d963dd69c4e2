"""What the control API reads, and how it refuses: what is wrong, where, and what is allowed there.

Each member of a body is read as what it has to be. All others are refused, as are parameters of the
query that an endpoint does not have.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from pyramid.response import Response

from authservice.settings.parsing import is_readable
from authservice.web.answers import json_answer
from authservice.web.request.auth_request import AuthRequest
from authservice.web.request.body import BadBodyError, json_object


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


_LONGEST = 1000
_MOST = 500


def json_body(request: AuthRequest) -> dict[str, Any]:
    """Return the members of a JSON body; raises ControlError with 400."""
    try:
        return json_object(request, _members)
    except BadBodyError as error:
        raise invalid(error.message, "body", ["an object in JSON, as application/json"]) from None


def check_query(request: AuthRequest, names: Iterable[str]) -> None:
    """Let only these parameters be in the query, each once; raises ControlError with 400."""
    names = list(names)
    seen: set[str] = set()
    for name in request.GET:
        if name not in names:
            raise invalid("This parameter is not known", name, names)
        if name in seen:
            raise invalid("This parameter is there more than once", name, ["once"])
        seen.add(name)


class Fields:
    """The members of a JSON object of which every name is known; raises ControlError with 400."""

    def __init__(self, content: Mapping[str, Any], names: Iterable[str]) -> None:
        names = list(names)
        for name in content:
            if name not in names:
                raise invalid("This member is not known", name, names)
        self._content = content

    @classmethod
    def of(cls, request: AuthRequest, names: Iterable[str]) -> "Fields":
        """Return the members of a request's body."""
        return cls(json_body(request), names)

    def __contains__(self, name: str) -> bool:
        return name in self._content

    def __getitem__(self, name: str) -> Any:
        """Return a member as it was sent, None without one."""
        return self._content.get(name)

    def members(self, name: str) -> dict[str, Any]:
        """Return a member that is an object, empty without one."""
        value = self._content.get(name, {})
        if not isinstance(value, dict) or not _is_json(value):
            raise invalid("This member must be a JSON object", name, ["an object"])
        return value

    def text(self, name: str, default: str | None = None, *, longest: int = _LONGEST) -> str:
        """Return a member that is text without control characters and not blank."""
        value = self._content.get(name, default)
        if not isinstance(value, str) or not _is_line(value) or len(value) > longest:
            allowed = [f"text of 1 to {longest} visible characters"]
            raise invalid("This member must be text", name, allowed)
        return value

    def flag(self, name: str, *, default: bool) -> bool:
        """Return a member that is true or false."""
        value = self._content.get(name, default)
        if not isinstance(value, bool):
            raise invalid("This member must be true or false", name, ["true", "false"])
        return value

    def texts(self, name: str, default: Iterable[str] = ()) -> list[str]:
        """Return a member that is an array of different texts."""
        value = self._content.get(name, list(default))
        if (
            not isinstance(value, list)
            or len(value) > _MOST
            or not all(isinstance(each, str) and _is_line(each) for each in value)
            or len({*value}) < len(value)
        ):
            allowed = [f"an array of at most {_MOST} different texts"]
            raise invalid("This member must be an array of texts", name, allowed)
        return value

    def choice(self, name: str, values: Iterable[str], default: str | None = None) -> str:
        """Return a member that is one of some texts."""
        values = list(values)
        value = self._content.get(name, default)
        if not isinstance(value, str) or value not in values:
            raise invalid("This member has another value than the allowed ones", name, values)
        return value


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON, of which each member may be there once; raises ControlError.

    Readers differ in which of two they take.
    """
    members: dict[str, Any] = {}
    for name, value in pairs:
        if name in members:
            raise invalid("This member is there more than once", name, ["once"])
        members[name] = value
    return members


def _is_json(value: object) -> bool:
    """Tell whether a value can be written: Python reads NaN, and what is nested too deeply."""
    try:
        json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError):
        return False
    return True


def _is_line(text: str) -> bool:
    return len(text) <= _LONGEST and is_readable(text)
