"""The application as granian calls it: the same requests and answers as under waitress.

granian hands a body on while it still arrives, mixes the environment of the process into each
request's, and names itself in each answer.

Of a body in chunks that broke off, or went wrong, granian says that it ended. So a body needs a
length: browsers and clients of OAuth send one, and a proxy that waits for the whole body adds it.
"""

import os
from collections.abc import Callable, Iterable
from io import BytesIO
from typing import Any

from authservice.web.gates.junk_guard import max_body

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

    def __init__(
        self, application: Application, *, answered: Callable[[], None], takes_events: bool
    ) -> None:
        """Call ``answered`` after each request, in the thread that answered it.

        ``takes_events`` is as for ``max_body``.
        """
        self._application = application
        self._answered = answered
        self._takes_events = takes_events
        for name in [name for name in os.environ if name.startswith(_OF_REQUESTS)]:
            del os.environ[name]
        self._of_the_process = tuple(os.environ)

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request."""
        for name in self._of_the_process:
            del environ[name]

        def start(status: str, headers: list[tuple[str, str]], *error: object) -> object:
            return start_response(status, [*headers, _NO_NAME], *error)

        if "HTTP_TRANSFER_ENCODING" in environ:
            start("411 Length Required", [("Content-Length", "0"), ("Connection", "close")])
            return []
        if "CONTENT_LENGTH" in environ and not self._received(environ):
            start("400 Bad Request", [("Content-Length", "0")])
            return []
        try:
            return self._application(environ, start)
        finally:
            self._answered()

    def _received(self, environ: Environ) -> bool:
        """Receive the body, so that its length is known; False when it broke off.

        One that is longer than the application takes is left where it is, to be refused.
        """
        announced = int(environ["CONTENT_LENGTH"])
        longest = max_body(environ.get("PATH_INFO", ""), takes_events=self._takes_events)
        if announced > longest:
            return True
        body = environ["wsgi.input"].read(longest + 1)
        environ["wsgi.input"] = BytesIO(body)
        return len(body) >= announced
