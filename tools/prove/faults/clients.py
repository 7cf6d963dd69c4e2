"""Clients that take more than they are entitled to: places, time and memory."""

from collections.abc import Iterator
from itertools import count

from tools.prove.faults.crowd import crowd, may_vanish
from tools.prove.faults.trial import Fault, Happening
from tools.prove.outcome import Extent

_SECONDS: dict[Extent, float] = {"brief": 2, "quick": 10, "long": 900}
# More than connection_limit in the ini files that are shipped.
_MANY: dict[Extent, int] = {"brief": 1200, "quick": 2000, "long": 5000}
# Every other client is answered as soon as that among them, in seconds.
_SOON = 1.0
_FILES = 256
_HEAD = b"POST /api/auth/oauth2/token HTTP/1.1\r\nHost: localhost\r\n"
_FORM = b"Content-Type: application/x-www-form-urlencoded\r\n"


def faults(extent: Extent) -> Iterator[Fault]:
    """Yield what clients do; no other client may suffer from it."""
    seconds = _SECONDS[extent]
    yield from _many(extent)
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


def _many(extent: Extent) -> Iterator[Fault]:
    """Yield the ways of taking all places."""
    number = _MANY[extent]
    ways: dict[str, Happening] = {
        "clients are silent": crowd(number, _nothing, pace=1),
        "clients send 1 byte/s": crowd(number, _byte_by_byte, pace=1),
        "clients send bodies at 1 byte/s": crowd(number, _slow_body, pace=1),
        "clients vanish": crowd(number, _half, pace=1, vanishes=True),
    }
    for what, happens in ways.items():
        lacks = "this process may not administer the network"
        yield Fault(
            f"{number:,} {what}",
            happens,
            _SECONDS[extent],
            serves=True,
            longest_wait=_SOON,
            lacks=lacks if what == "clients vanish" and not may_vanish() else "",
        )


def _half() -> Iterator[bytes]:
    yield _HEAD


def _byte_by_byte() -> Iterator[bytes]:
    for byte in _HEAD + _FORM + b"Content-Length: 60000\r\n\r\n" + 60000 * b"a":
        yield bytes([byte])


def _slow_body() -> Iterator[bytes]:
    yield _HEAD + _FORM + b"Content-Length: 60000\r\n\r\n"
    while True:
        yield b"a"


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
