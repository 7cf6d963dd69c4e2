"""Servers for the load driver, which the tests hold in their hands."""

import socket
import threading

import pytest


class HeldServer:
    """Answers each request when it is told to, with what it is told to."""

    def __init__(self):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        self.may_answer = threading.Event()
        self.requests = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self.may_answer.set()
        self._listener.close()

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=[connection], daemon=True).start()

    def _serve(self, connection):
        with connection:
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


another_server = server
