"""The description of a call."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from authservice.httpclient.url import printable_address


class Method(StrEnum):
    """The HTTP methods a request can have (RFC 9110 section 9.3, RFC 5789)."""

    GET = "GET"
    POST = "POST"
    PUT = "PUT"
    PATCH = "PATCH"
    DELETE = "DELETE"
    HEAD = "HEAD"
    OPTIONS = "OPTIONS"


@dataclass(frozen=True)
class Request:
    """Describes one call; credentials are headers that the caller sets.

    ``base_url`` is the full address with its path parameters in place. ``query_params`` are
    percent-encoded and added to the query that it may already have. An empty body is the same as
    none; a body is sent as ``application/json`` unless ``headers`` name a Content-Type.
    """

    method: Method
    base_url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    query_params: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None

    def __repr__(self) -> str:
        given = self.body or b""
        size = f"{len(given)} bytes" if isinstance(given, bytes) else _type(given)
        return (
            f"<Request {self.method!s} {printable_address(self.base_url)}"
            f" headers={_names(self.headers)} query_params={_names(self.query_params)}"
            f" body={size}>"
        )


def _names(given: object) -> str:
    """Return the names alone; what is no mapping may hold the values anywhere."""
    return str(list(given)) if isinstance(given, Mapping) else _type(given)


def _type(given: object) -> str:
    return type(given).__name__


def wrong_type(request: object) -> str | None:
    """Return the first rule that a value breaks by its type, and that type; None if all is right.

    The libraries below take more: a list of pairs as a query, text as a body, which they encode by
    a rule of their own. Then something else travels than the caller thinks. The value itself is
    never shown: it may be a secret.
    """
    return next(_problems(request), None)


def _problems(request: Any) -> Iterator[str]:  # noqa: ANN401  (whatever the caller gives)
    if not isinstance(request, Request):
        yield _instead("what is sent is a Request", request)
        return
    # As a caller without a type checker may have filled it.
    fields: dict[str, Any] = vars(request)
    for name in ("method", "base_url"):
        if not isinstance(fields[name], str):
            yield _instead(f"{name} is a {'Method' if name == 'method' else 'str'}", fields[name])
    for name, each in (("headers", "a header"), ("query_params", "a query parameter")):
        yield from _mapping_problems(name, each, fields[name])
    if not isinstance(fields["body"], bytes | None):
        yield _instead("body is bytes or None", fields["body"])


def _mapping_problems(field: str, each: str, given: object) -> Iterator[str]:
    if not isinstance(given, Mapping):
        yield _instead(f"{field} is a mapping of str to str", given)
        return
    for name, value in given.items():
        if not isinstance(name, str):
            yield _instead(f"the name of {each} is a str", name)
        if not isinstance(value, str):
            yield _instead(f"the value of {each} is a str", value)


def _instead(rule: str, value: object) -> str:
    return f"{rule}, not {_type(value)}"
