"""Connections that misbehave, all held by one thread: those that are closed come again."""

import contextlib
import resource
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from prove.faults.trial import Happening, Service

# What one connection sends, piece by piece; an empty piece is nothing.
Talk = Callable[[], Iterator[bytes]]


def crowd(number: int, talk: Talk, pace: float) -> Happening:
    """Return the fault that so many connections send a piece each every ``pace`` seconds."""

    @contextmanager
    def happens(subject: Service) -> Iterator[None]:
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        stop = threading.Event()
        members = [_Member(subject.port, talk) for _ in range(number)]
        thread = threading.Thread(target=_go_on, args=[members, stop, pace])
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()
            for member in members:
                member.leave()

    return happens


def _go_on(members: list["_Member"], stop: threading.Event, pace: float) -> None:
    while True:
        began = time.monotonic()
        for member in members:
            member.take_part()
        if stop.wait(max(0.0, pace - (time.monotonic() - began))):
            return


class _Member:
    """One of them, on one connection after the other."""

    def __init__(self, port: int, talk: Talk) -> None:
        self._port = port
        self._talk = talk
        self._socket: socket.socket | None = None

    def take_part(self) -> None:
        if self._socket is None:
            self._socket = socket.socket()
            self._socket.settimeout(0)
            self._socket.connect_ex(("127.0.0.1", self._port))
            self._pieces = self._talk()
            return
        poll = select.poll()
        poll.register(self._socket, select.POLLIN | select.POLLOUT)
        ready = poll.poll(0)
        state = ready[0][1] if ready else 0
        try:
            if state & select.POLLIN and not self._socket.recv(65536):
                raise ConnectionError
            if state & select.POLLOUT:
                self._socket.send(next(self._pieces, b""))
        except BlockingIOError:
            return
        except OSError:
            self.leave()

    def leave(self) -> None:
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.close()
            self._socket = None
