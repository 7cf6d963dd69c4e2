"""Requests to an application in this very process, without a server between."""

import io
from collections.abc import Callable, Iterable
from typing import Any

from tools.bench.driver.http11 import Answer
from tools.bench.driver.wire import Exchange

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def calling(application: Application) -> Exchange:
    """Return what gives a request to the application and returns its answer."""

    def exchange(request: bytes) -> Answer:
        started: list[tuple[str, list[tuple[str, str]]]] = []

        def start(status: str, headers: list[tuple[str, str]], _error: object = None) -> None:
            started.append((status, headers))

        chunks = application(_environ(request), start)
        body = b"".join(chunks)
        if hasattr(chunks, "close"):
            chunks.close()
        ((status, headers),) = started
        lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in headers)]
        return Answer(int(status[:3]), "\r\n".join(lines).encode(), body)

    return exchange


def _environ(request: bytes) -> dict[str, Any]:
    """Return a request as PEP 3333 has it."""
    head, _, body = request.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    method, target, _ = first.split(" ")
    path, _, query = target.partition("?")
    environ: dict[str, Any] = {
        "REQUEST_METHOD": method,
        "SCRIPT_NAME": "",
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": io.StringIO(),
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    for line in lines:
        name, _, value = line.partition(": ")
        key = name.upper().replace("-", "_")
        plain = key in {"CONTENT_TYPE", "CONTENT_LENGTH"}
        environ[key if plain else f"HTTP_{key}"] = value
    return environ
