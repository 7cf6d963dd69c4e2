"""A service in which nobody is signed in, and which notes the cookies that applications forward."""

from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler

from tests.e2e.serving import serving


class _Noting(BaseHTTPRequestHandler):
    def do_GET(self):
        self._answer(b"null")

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(b'{"success":true}')

    def _answer(self, body):
        self.server.cookies.append(self.headers["Cookie"])
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Keep the output of the tests clean."""


@contextmanager
def noting_service(tls=None):
    """Run one on a port of localhost, by https if there is a context for it."""
    with serving(_Noting, tls) as server:
        server.cookies = []
        yield server
