"""The application as granian calls it: the same requests and answers as under waitress.

granian hands a body on while it still arrives, mixes the environment of the process into each
request's, and names itself in each answer.

Each request has a thread of granian's to itself while its body arrives, however slowly it does. As
many as the application answers at a time have their turn once they are complete.

Of a body in chunks that broke off, or went wrong, granian says that it ended. So a body needs a
length: browsers and clients of OAuth send one, and a proxy that waits for the whole body adds it.
"""

import os
from collections.abc import Callable, Iterable
from io import BytesIO
from queue import SimpleQueue
from threading import get_ident
from time import monotonic
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
        self, application: Application, *, at_a_time: int, answered: Callable[[], None]
    ) -> None:
        """Answer ``at_a_time`` requests at the same time, and call ``answered`` after each.

        The thread that answered calls it, before it answers another request.
        """
        self._application = application
        self._answered = answered
        for name in [name for name in os.environ if name.startswith(_OF_REQUESTS)]:
            del os.environ[name]
        self._of_the_process = tuple(os.environ)
        self._begun: dict[int, float] = {}
        # A queue costs a tenth of a semaphore.
        self._turns: SimpleQueue[None] = SimpleQueue()
        for _ in range(at_a_time):
            self._turns.put(None)

    def under_way(self) -> list[float]:
        """Return how many seconds ago each request was complete that has no answer yet."""
        now = monotonic()
        return [now - begun for begun in list(self._begun.values())]

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request."""
        for name in self._of_the_process:
            del environ[name]

        def start(status: str, headers: list[tuple[str, str]], *error: object) -> object:
            return start_response(status, [*headers, _NO_NAME], *error)

        if "HTTP_TRANSFER_ENCODING" in environ:
            start("411 Length Required", [("Content-Length", "0"), ("Connection", "close")])
            return []
        if "CONTENT_LENGTH" in environ and not _received(environ):
            start("400 Bad Request", [("Content-Length", "0")])
            return []
        thread = get_ident()
        self._begun[thread] = monotonic()
        self._turns.get()
        try:
            return self._application(environ, start)
        finally:
            self._answered()
            self._turns.put(None)
            del self._begun[thread]


def _received(environ: Environ) -> bool:
    """Receive the body, so that its length is known; False when it broke off.

    One that is longer than the application takes is left where it is, to be refused.
    """
    announced = int(environ["CONTENT_LENGTH"])
    longest = max_body(environ.get("PATH_INFO", ""))
    if announced > longest:
        return True
    body = environ["wsgi.input"].read(longest + 1)
    environ["wsgi.input"] = BytesIO(body)
    return len(body) >= announced
