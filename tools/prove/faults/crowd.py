"""Connections that misbehave, all held by one thread: those that are closed come again."""

import contextlib
import resource
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tools.prove.faults.trial import Happening, Service

# What one connection sends, piece by piece; an empty piece is nothing.
Talk = Callable[[], Iterator[bytes]]

# Linux's TCP_REPAIR, with which a socket is closed without a word to the other end.
_TCP_REPAIR = 19


def crowd(number: int, talk: Talk, pace: float, *, vanishes: bool = False) -> Happening:
    """Return the fault that so many connections send a piece each every ``pace`` seconds.

    Those that have said everything keep silent, or vanish without a word and come again.
    """

    @contextmanager
    def happens(subject: Service) -> Iterator[None]:
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        stop = threading.Event()
        members = [_Member(subject.port, talk, vanishes=vanishes) for _ in range(number)]
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


def may_vanish() -> bool:
    """Tell whether this process may close a connection without a word."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        one = socket.create_connection(listener.getsockname())
        try:
            vanish(one)
        except OSError:
            return False
        finally:
            one.close()
    return True


def vanish(connection: socket.socket) -> None:
    """Let the kernel forget a connection, as if its machine had lost its power."""
    connection.setsockopt(socket.IPPROTO_TCP, _TCP_REPAIR, 1)


def _go_on(members: list["_Member"], stop: threading.Event, pace: float) -> None:
    while True:
        began = time.monotonic()
        for member in members:
            member.take_part()
        if stop.wait(max(0.0, pace - (time.monotonic() - began))):
            return


class _Member:
    """One of them, on one connection after the other."""

    def __init__(self, port: int, talk: Talk, *, vanishes: bool) -> None:
        self._port = port
        self._vanishes = vanishes
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
                self._say(self._socket, next(self._pieces, None))
        except BlockingIOError:
            return
        except OSError:
            self.leave()

    def _say(self, connection: socket.socket, piece: bytes | None) -> None:
        if piece is not None:
            connection.send(piece)
        elif self._vanishes:
            vanish(connection)
            self.leave()

    def leave(self) -> None:
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.close()
            self._socket = None
