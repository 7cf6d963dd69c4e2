"""Requests to whichever server process is there, as a proxy deals them out."""

import random
import socket
import time
from collections.abc import Sequence

from tools.bench.driver.http11 import Answer, WrongAnswerError
from tools.bench.driver.wire import exchange

_PATIENCE = 20.0  # seconds
_UNAVAILABLE = 503


class UnansweredError(Exception):
    """No answer came, or that it is not possible at present: it may have been done or not."""


class Caller:
    """Keeps a connection to each process; not to be shared by threads."""

    def __init__(self, ports: Sequence[int], chance: random.Random) -> None:
        self._ports = ports
        self._chance = chance
        self._connections: dict[int, socket.socket] = {}
        # When each answer came.
        self.moments: list[float] = []
        # How many of them said that it is not possible at present.
        self.refusals = 0

    def send(self, request: bytes) -> Answer:
        """Return the answer; raises UnansweredError when the request may have got through."""
        port, connection = self._connected()
        try:
            answer = exchange(connection, request)
        except OSError as error:
            self._forget(port)
            raise UnansweredError from error
        if b"\r\nconnection: close" in answer.head.lower():
            self._forget(port)
        self.moments.append(time.monotonic())
        if answer.status == _UNAVAILABLE:
            if not answer.header("Retry-After"):
                raise WrongAnswerError("503 does not say when to come again")
            self.refusals += 1
            raise UnansweredError
        return answer

    def close(self) -> None:
        """Close all connections."""
        for port in list(self._connections):
            self._forget(port)

    def _connected(self) -> tuple[int, socket.socket]:
        deadline = time.monotonic() + _PATIENCE
        while True:
            port = self._chance.choice(self._ports)
            kept = self._connections.get(port)
            if kept is not None:
                return port, kept
            try:
                made = socket.create_connection(("127.0.0.1", port), timeout=_PATIENCE)
            except OSError as error:
                # Nothing was sent: another process may take it.
                if time.monotonic() > deadline:
                    raise UnansweredError from error
                time.sleep(0.005)
                continue
            self._connections[port] = made
            return port, made

    def _forget(self, port: int) -> None:
        self._connections.pop(port).close()
