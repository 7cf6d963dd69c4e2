"""Connections byte by byte to a real server, and a request that waits for its body."""

import socket
from contextlib import ExitStack, suppress

import pytest

GET = "GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n"
HEAD = (
    "POST /api/auth/oauth2/token HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
    "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 21\r\n\r\n"
)
BODY = "grant_type=password&a"


class Connection:
    """One connection to a server, on which a test may send half a request."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self._file = self.socket.makefile("rb")

    def send(self, text, *, may_break=False):
        with suppress(*[OSError] if may_break else []):
            self.socket.sendall(text.encode("latin-1"))

    def line(self):
        return self._file.readline().decode("latin-1").rstrip("\r\n")

    def send_no_more(self):
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_WR)

    def rest(self):
        return self._file.read().decode("latin-1")

    def rest_until_it_broke(self):
        """Return what came, also where the server hung up on what it had not read."""
        came = b""
        with suppress(ConnectionResetError):
            while piece := self._file.read1():
                came += piece
        return came.decode("latin-1")

    def answer(self):
        """Return status and body of the next answer."""
        status, headers = self.head()
        return status, self._file.read(int(headers["content-length"]))

    def head(self):
        """Return status and headers of the next answer."""
        return int(self.line().split()[1]), dict(iter(self._header, ("", "")))

    def _header(self):
        name, _, value = self.line().partition(":")
        return name.lower(), value.strip()

    def is_over(self):
        """Tell whether the server has closed the connection, in order or at once."""
        try:
            return self._file.read() == b""
        except ConnectionResetError:
            return True

    def ends(self):
        """Wait for the server to close the connection; tell whether it sent nothing before."""
        return self._file.read() == b""

    def close(self):
        self._file.close()
        self.socket.close()


@pytest.fixture
def connect():
    """Open connections to a port, closed when the test ends."""
    with ExitStack() as stack:

        def open_(port):
            connection = Connection(port)
            stack.callback(connection.close)
            return connection

        yield open_


def begin(asking):
    """Send the headers of a request; a server that has begun it asks for the body."""
    asking.send(HEAD)
    assert asking.line() == "HTTP/1.1 100 Continue"
    assert asking.line() == ""
