"""Clients that take more than they are entitled to: places, time and memory."""

from collections.abc import Iterator
from itertools import count

from prove.faults.crowd import crowd
from prove.faults.trial import Fault
from prove.outcome import Extent

_SECONDS: dict[Extent, float] = {"brief": 2, "quick": 10, "long": 900}
# More than connection_limit in the ini files that are shipped.
_SLOW: dict[Extent, int] = {"brief": 1200, "quick": 1200, "long": 5000}
_FILES = 256
_HEAD = b"POST /api/auth/oauth2/token HTTP/1.1\r\nHost: localhost\r\n"
_FORM = b"Content-Type: application/x-www-form-urlencoded\r\n"


def faults(extent: Extent) -> Iterator[Fault]:
    """Yield what clients do; nobody else may suffer from it."""
    seconds = _SECONDS[extent]
    slow = _SLOW[extent]
    happening = crowd(slow, _byte_by_byte, pace=1)
    yield Fault(f"{slow:,} clients send 1 byte/s", happening, seconds, serves=True)
    idle = crowd(2 * _FILES, _nothing, pace=0.2)
    files = ("prlimit", f"--nofile={_FILES}:{_FILES}")
    name = f"{2 * _FILES} idle connections, {_FILES} files may be open"
    yield Fault(name, idle, seconds, through=files, serves=True)
    for name, talk in {
        "headers without end": _endless_headers,
        "bodies of 1 GB": _long_body,
        "bodies without end": _endless_body,
    }.items():
        yield Fault(f"20 times {name}", crowd(20, talk, pace=0.02), seconds / 2, serves=True)


def _byte_by_byte() -> Iterator[bytes]:
    for byte in _HEAD + _FORM + b"Content-Length: 60000\r\n\r\n" + 60000 * b"a":
        yield bytes([byte])


def _nothing() -> Iterator[bytes]:
    return iter(())


def _endless_headers() -> Iterator[bytes]:
    yield _HEAD
    for number in count():
        yield b"X-%d: %s\r\n" % (number, 16000 * b"x")


def _long_body() -> Iterator[bytes]:
    yield _HEAD + _FORM + b"Content-Length: 1000000000\r\n\r\n"
    while True:
        yield 65536 * b"a"


def _endless_body() -> Iterator[bytes]:
    yield _HEAD + _FORM + b"Transfer-Encoding: chunked\r\n\r\n"
    while True:
        yield b"8000\r\n" + 0x8000 * b"a" + b"\r\n"
