"""The description of a call."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

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
