"""A service in which nobody is signed in, and which notes the cookies that applications forward."""

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


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
    with ThreadingHTTPServer(("127.0.0.1", 0), _Noting) as server:
        if tls is not None:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        server.cookies = []
        server.url = f"{'http' if tls is None else 'https'}://localhost:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
