"""The application as granian calls it: the same requests and answers as under waitress.

granian hands a body on while it still arrives, mixes the environment of the process into each
request's, and names itself in each answer.
"""

import os
from collections.abc import Callable, Iterable
from io import BytesIO
from threading import get_ident
from time import monotonic
from typing import Any

from authservice.web.junk_guard import MAX_BODY

Environ = dict[str, Any]
StartResponse = Callable[..., object]
Application = Callable[[Environ, StartResponse], Iterable[bytes]]

# What a request may have. The process must have none of it: a variable HTTP_X_FORWARDED_FOR would
# count as the header of every request that came without one.
_OF_REQUESTS = (
    "CONTENT_",
    "GATEWAY_INTERFACE",
    "HTTP_",
    "PATH_INFO",
    "QUERY_STRING",
    "REMOTE_",
    "REQUEST_METHOD",
    "SCRIPT_NAME",
    "SERVER_",
    "wsgi.",
)
_NO_NAME = ("Server", "")


class GranianApplication:
    """A WSGI application around another. Make it in the process that serves it."""

    def __init__(self, application: Application) -> None:
        """Take the application that answers."""
        self._application = application
        for name in [name for name in os.environ if name.startswith(_OF_REQUESTS)]:
            del os.environ[name]
        self._of_the_process = tuple(os.environ)
        self._begun: dict[int, float] = {}

    def under_way(self) -> list[float]:
        """Return how many seconds ago each request had come that is being answered."""
        now = monotonic()
        return [now - begun for begun in list(self._begun.values())]

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request."""
        for name in self._of_the_process:
            del environ[name]

        def start(status: str, headers: list[tuple[str, str]], *error: object) -> object:
            return start_response(status, [*headers, _NO_NAME], *error)

        coding = environ.get("HTTP_TRANSFER_ENCODING", "chunked")
        if coding.lower() != "chunked":
            # Another server might find another end of the body (RFC 9112, section 6.3).
            start("400 Bad Request", [("Content-Length", "0"), ("Connection", "close")])
            return []
        has_body = "CONTENT_LENGTH" in environ or "HTTP_TRANSFER_ENCODING" in environ
        if has_body and not _received(environ):
            start("400 Bad Request", [("Content-Length", "0")])
            return []
        thread = get_ident()
        self._begun[thread] = monotonic()
        try:
            return self._application(environ, start)
        finally:
            del self._begun[thread]


def _received(environ: Environ) -> bool:
    """Receive the body, so that its length is known; False when it broke off.

    One that is longer than the application takes is left where it is, to be refused.
    """
    announced = int(environ.get("CONTENT_LENGTH", "0"))
    if announced > MAX_BODY:
        return True
    body = environ["wsgi.input"].read(MAX_BODY + 1)
    environ["wsgi.input"] = BytesIO(body)
    environ["CONTENT_LENGTH"] = str(len(body))
    return len(body) >= announced
