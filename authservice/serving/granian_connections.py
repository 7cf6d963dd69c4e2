"""Which connections granian closes at its limit, when others wait for accept.

granian would take no more until one of them closes, and has no way to close one. Linux knows
which have been quiet for longest, and ends them: granian notices, and takes the next.

When the process is to stop, granian waits for requests that are not complete until it is killed.
Their connections are ended then.
"""

import os
import socket
import struct
import sys
import threading
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from heapq import nlargest
from typing import NamedTuple

_LISTENING = 10
# Of Linux's struct tcp_info: the state, how many wait to be accepted (where it listens), and
# the milliseconds since data was last sent and received, at first since the connection began.
_TCP_INFO = struct.Struct("=B 23x I 16x I 4x I")
_OFTEN = 0.05  # seconds
# An incomplete request has so long to be completed when the process is to stop.
_AT_THE_END = 5.0  # seconds
# One in so many gives way at a time, at most.
_SHARE = 4
# A request is handed on so soon after its last byte came, and Linux counts in steps of 4 ms.
_HANDED_ON = 0.1  # seconds
_STEP = 0.008


class _Connection(NamedTuple):
    """One that the process holds; both durations are seconds."""

    file: int
    peer: object
    quiet: float
    received: float


class Doorkeeper:
    """Lets others in where silent or slow clients have taken all places of a process."""

    def __init__(self, port: int, limit: int) -> None:
        self._port = port
        self._limit = limit

    def watch(self, under_way: Callable[[], list[float]]) -> None:
        """Look after the connections for as long as the process lives, if Linux runs it.

        ``under_way`` returns how many seconds ago each request was complete that has no answer
        yet; its connection is spared.
        """
        if sys.platform == "linux":
            threading.Thread(target=self._watch, args=[under_way], daemon=True).start()

    def _watch(self, under_way: Callable[[], list[float]]) -> None:
        self._let_in(under_way)
        while True:
            time.sleep(_AT_THE_END)
            for each in self._connections():
                if not _may_be_answered(each, sorted(under_way())):
                    _end(each)

    def _let_in(self, under_way: Callable[[], list[float]]) -> None:
        """Make room for connections that wait for accept, until no socket listens any more."""
        listener = None
        # If there is a connection, there was a listener.
        while listener is not None or not self._connections() or self._listener() is not None:
            time.sleep(_OFTEN)
            if listener is None:
                listener = self._listener()
                continue
            try:
                if number := _waiting(listener):
                    self._make_room(number, under_way())
            except OSError:
                return

    def _make_room(self, number: int, answered: list[float]) -> None:
        connections = self._connections()
        if len(connections) < self._limit:
            return
        places = min(number, max(1, self._limit // _SHARE))
        answered.sort()
        waiting = (one for one in connections if not _may_be_answered(one, answered))
        for each in nlargest(places, waiting, key=lambda one: one.quiet):
            _end(each)

    def _connections(self) -> list[_Connection]:
        return [
            _Connection(file, peer, min(sent, received), received)
            for file, one, (state, _, sent, received) in self._sockets()
            if state != _LISTENING and (peer := _peer(one))
        ]

    def _listener(self) -> int | None:
        listening = (file for file, _, (state, *_) in self._sockets() if state == _LISTENING)
        return next(listening, None)

    def _sockets(self) -> Iterator[tuple[int, socket.socket, tuple[int, int, float, float]]]:
        """Yield the sockets of our port: the file, the socket, and what Linux knows of it."""
        for name in os.listdir("/proc/self/fd"):  # noqa: PTH208  (numbers, not paths)
            # Another file may have its number by now, or none.
            with suppress(OSError), _socket(int(name)) as one:
                if one.getsockname()[1:2] == (self._port,):
                    yield int(name), one, _known(one)


def _peer(one: socket.socket) -> object:
    """Return the other end, or None if it has gone."""
    try:
        return one.getpeername()
    except OSError:
        return None


def _waiting(listener: int) -> int:
    with _socket(listener) as one:
        return _known(one)[1]


def _known(one: socket.socket) -> tuple[int, int, float, float]:
    packed = one.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO.size)
    state, waiting, sent, received = _TCP_INFO.unpack(packed)
    return state, waiting, sent / 1000, received / 1000


def _may_be_answered(connection: _Connection, answered: list[float]) -> bool:
    """Tell whether a request was complete with the last that was received; durations are sorted."""
    before = bisect_right(answered, connection.received + _STEP)
    return before > 0 and connection.received - answered[before - 1] < _HANDED_ON


def _end(connection: _Connection) -> None:
    # A file of our own: its number may go to another connection at any moment.
    with suppress(OSError), socket.socket(fileno=os.dup(connection.file)) as own:
        if own.getpeername() == connection.peer:
            own.shutdown(socket.SHUT_RDWR)


@contextmanager
def _socket(file: int) -> Iterator[socket.socket]:
    """Give the socket of a file descriptor that belongs to granian, and leave it open."""
    one = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 0, fileno=file)
    try:
        yield one
    finally:
        one.detach()
