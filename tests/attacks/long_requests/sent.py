"""One request of which something may be long."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from webob import Request

from tests.helpers.browser import ORIGIN

FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class Sent:
    """One request, as a WSGI server hands it over."""

    method: str
    path: str
    query: str = ""
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)

    def environ(self) -> dict[str, Any]:
        """Return the request as PEP 3333 has it."""
        parts = {f"HTTP_{name.upper().replace('-', '_')}": v for name, v in self.headers.items()}
        parts["CONTENT_TYPE"] = parts.pop("HTTP_CONTENT_TYPE", FORM if self.body else "")
        sent = Request.blank("/", base_url=ORIGIN, method=self.method, body=self.body).environ
        # As it was sent: WebOb would decode the path.
        line = {"PATH_INFO": self.path, "QUERY_STRING": self.query, "REMOTE_ADDR": "127.0.0.1"}
        return sent | line | parts


class Long(NamedTuple):
    """What may be long in a request: its name, how long it may be, and the request with it."""

    name: str
    longest: int
    make: Callable[[int], Sent]
