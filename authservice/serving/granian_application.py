"""The application as granian calls it: the same requests and answers as under waitress.

granian speaks ASGI here. In its WSGI a name with an underscore counts as the one with a hyphen, and
threads wait for bodies that come slowly.

Of a body in chunks granian does not say whether a length came with it, by which another server may
have found another end. So a body needs a length: browsers and clients of OAuth send one, and a
proxy that waits for the whole body adds it.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from io import BytesIO
from threading import Semaphore
from typing import Any
from urllib.parse import unquote_to_bytes

from granian._granian import CallbackScheduler

from authservice.web.gates.junk_guard import MAX_BODY, max_body

Environ = dict[str, Any]
Answer = tuple[int, list[tuple[bytes, bytes]], bytes]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]

_OF_A_BODY = {b"content-length", b"transfer-encoding"}
# RFC 3875, section 4.1, has no prefix for these two.
_BARE = {"HTTP_CONTENT_LENGTH": "CONTENT_LENGTH", "HTTP_CONTENT_TYPE": "CONTENT_TYPE"}
# granian names itself where nothing else is said.
_NO_NAME = (b"server", b"")
_CLOSE = (b"connection", b"close")
_LENGTH_REQUIRED: Answer = 411, [(b"content-length", b"0")], b""
_BROKEN_OFF: Answer = 400, [(b"content-length", b"0")], b""
# As many of the longest ones at once as anybody sends.
_LONG_BODIES = 16
# What a proxy passes on at the most (docs/deployment), and how long that may take.
_MOST_DROPPED = 1024 * 1024
_TO_DROP_SECONDS = 10


class GranianApplication:
    """An application of ASGI around ours, which is one of WSGI."""

    def __init__(self, router: Any, threads: int) -> None:  # noqa: ANN401  (a Pyramid router)
        """Answer as many requests at a time as there are ``threads``."""
        self._router = router
        self._components = router.registry.components
        self._threads = threads
        self._places = Semaphore(threads)
        self._with_bodies = ThreadPoolExecutor(threads)
        self._long_bodies = asyncio.Semaphore(_LONG_BODIES)

    def close(self) -> None:
        """Close the application, once nothing is under way, not even for clients that are gone."""
        self._with_bodies.shutdown(cancel_futures=True)
        for _ in range(self._threads):
            self._places.acquire()
        self._components.close()

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Answer a request; one without a body at once, in the thread that calls this.

        If a part of the body is not wanted, take that too, and drop it: if the connection were
        closed while something is unread, the network would drop the answer (RFC 9112, section 9.6).
        """
        environ = _environ(scope)
        if _has_body(scope):
            (status, headers, body), complete = await self._receive(environ, receive)
        else:
            (status, headers, body), complete = self._answer(environ), True
        headers = [*headers, _NO_NAME] if complete else [*headers, _NO_NAME, _CLOSE]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})
        if not complete:
            await _drop(receive)

    async def _receive(self, environ: Environ, receive: Receive) -> tuple[Answer, bool]:
        """Return the answer to a request that has a body, and whether all of that has come."""
        if "HTTP_TRANSFER_ENCODING" in environ:
            return _LENGTH_REQUIRED, False
        announced = int(environ["CONTENT_LENGTH"])
        # The application refuses what does not, in the words of the endpoint.
        takes_events = self._components.webhook_secret is not None
        fits = announced <= max_body(environ["PATH_INFO"], takes_events=takes_events)
        async with self._long_bodies if fits and announced > MAX_BODY else nullcontext():
            body = bytearray()
            while fits and len(body) < announced:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return _BROKEN_OFF, False
                body += message["body"]
            environ["wsgi.input"] = BytesIO(body)
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._with_bodies, self._answer, environ), fits

    def _answer(self, environ: Environ) -> Answer:
        begun: list[tuple[str, list[tuple[str, str]]]] = []

        def start(status: str, headers: list[tuple[str, str]], _error: object = None) -> None:
            begun[:] = [(status, headers)]

        with self._places:
            try:
                pieces = self._router(environ, start)
                try:
                    body = b"".join(pieces)
                finally:
                    getattr(pieces, "close", bool)()
            finally:
                self._components.database.hand_back_reader()
        ((status, headers),) = begun
        raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        return int(status[:3]), raw, body


def scheduler(loop: asyncio.AbstractEventLoop, call: Callable[..., Any], **_options: object) -> Any:  # noqa: ANN401  (granian's own)
    """Return what calls the application for each request whose headers have come.

    Those that have a body are a matter of the loop. Others are answered in granian's own thread:
    from there to another one and back would take as long as a short answer.
    """

    def schedule(request: Any) -> None:  # noqa: ANN401  (granian's own)
        if _has_body(request.scope):
            loop.call_soon_threadsafe(loop.create_task, call(request))
        else:
            # It comes to its end, as it waits for nothing.
            with suppress(StopIteration):
                call(request).send(None)

    made: Any = CallbackScheduler(loop, call, None, None, None)  # type: ignore[call-arg]
    made._schedule_fn = schedule  # noqa: SLF001  (there is no other way)
    return made


def _has_body(scope: dict[str, Any]) -> bool:
    return any(name in _OF_A_BODY for name, _ in scope["headers"])


def _environ(scope: dict[str, Any]) -> Environ:
    """Return what WSGI has of a request without its body.

    Headers whose names have an underscore are left out. They would count as those with a hyphen,
    which a proxy sets or removes.
    """
    environ: Environ = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(scope["raw_path"]).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": BytesIO(),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    environ["SERVER_NAME"], environ["SERVER_PORT"] = scope["server"]
    environ["REMOTE_ADDR"], environ["REMOTE_PORT"] = scope["client"]
    for raw_name, raw_value in scope["headers"]:
        if b"_" not in raw_name:
            name = f"HTTP_{raw_name.decode('latin-1').upper().replace('-', '_')}"
            name = _BARE.get(name, name)
            value = raw_value.decode("latin-1")
            environ[name] = f"{environ[name]},{value}" if name in environ else value
    return environ


async def _drop(receive: Receive) -> None:
    left = _MOST_DROPPED
    with suppress(TimeoutError):
        async with asyncio.timeout(_TO_DROP_SECONDS):
            while left > 0 and (message := await receive()).get("more_body"):
                left -= len(message["body"])
