"""One operation at a time over a blocking connection: what sets a measurement up."""

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tools.bench.driver.http11 import Answer, parse
from tools.bench.driver.load import Operation

_PATIENCE = 30.0  # seconds

Exchange = Callable[[bytes], Answer]


@contextmanager
def connected(port: int) -> Iterator[Exchange]:
    """Give what sends a request to a service on this machine and returns the answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=_PATIENCE) as connection:
        yield lambda request: exchange(connection, request)


def exchange(connection: socket.socket, request: bytes) -> Answer:
    """Send a request and return the answer; raises OSError when the connection ends before it."""
    connection.sendall(request)
    received = b""
    while (answer := parse(received)) is None:
        piece = connection.recv(65536)
        if not piece:
            raise ConnectionError("the server closed the connection")
        received += piece
    return answer


def perform(operation: Operation, exchange: Exchange) -> None:
    """Carry an operation out."""
    try:
        request = next(operation)
        while True:
            request = operation.send(exchange(request))
    except StopIteration:
        return
