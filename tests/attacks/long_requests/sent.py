"""One request of which something may be long."""

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

FORM = "application/x-www-form-urlencoded"
ORIGIN = "http://localhost:37960"


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
        return {
            "REQUEST_METHOD": self.method,
            "SCRIPT_NAME": "",
            "PATH_INFO": self.path,
            "QUERY_STRING": self.query,
            "CONTENT_LENGTH": str(len(self.body)),
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "37960",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "REMOTE_ADDR": "127.0.0.1",
            "HTTP_HOST": ORIGIN.partition("://")[2],
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(self.body),
            "wsgi.errors": io.StringIO(),
            "wsgi.multithread": True,
            "wsgi.multiprocess": False,
            "wsgi.run_once": False,
        } | parts


class Long(NamedTuple):
    """What may be long in a request: its name, how long it may be, and the request with it."""

    name: str
    longest: int
    make: Callable[[int], Sent]
