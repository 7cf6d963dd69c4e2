"""A server that a test holds in its hands."""

import socket
import threading
from contextlib import suppress

import pytest


class HeldServer:
    """Answers each request when it is told to, with what it is told to."""

    def __init__(self):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        self.may_answer = threading.Event()
        self.requests = 0
        self._connections = []
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self.may_answer.set()
        self._listener.close()

    def cut_off(self):
        """End all connections as they are, as the end of a process does."""
        for connection in self._connections:
            # Those that have been closed are there as well.
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._connections.append(connection)
            threading.Thread(target=self._serve, args=[connection], daemon=True).start()

    def _serve(self, connection):
        # Who has been cut off gets no answer.
        with connection, suppress(OSError):
            while connection.recv(65536):
                self.requests += 1
                self.may_answer.wait()
                if self.answer is None:
                    return
                connection.sendall(self.answer)


@pytest.fixture
def server():
    started = HeldServer()
    yield started
    started.close()
