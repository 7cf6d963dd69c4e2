"""One operation at a time over a blocking connection: what sets a measurement up."""

import socket
from types import TracebackType
from typing import Self

from bench.http11 import Answer, parse
from bench.load import Operation

_PATIENCE = 30.0


class Wire:
    """A connection to a service on this machine."""

    def __init__(self, port: int) -> None:
        """Connect."""
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=_PATIENCE)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._socket.close()

    def exchange(self, request: bytes) -> Answer:
        """Return the answer to a request."""
        self._socket.sendall(request)
        received = b""
        while (answer := parse(received)) is None:
            piece = self._socket.recv(65536)
            if not piece:
                raise ConnectionError("the server closed the connection")
            received += piece
        return answer

    def perform(self, operation: Operation) -> None:
        """Carry an operation out."""
        try:
            request = next(operation)
            while True:
                request = operation.send(self.exchange(request))
        except StopIteration:
            return
