"""The suite's back-channel address: a loopback server that keeps what it is sent."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import SimpleQueue
from urllib.parse import parse_qsl

# A limit for a test that would otherwise never end.
_SECONDS = 30


class Receiver:
    """Answers 200 to every POST; ``next`` waits for the next of them."""

    def __init__(self):
        received = SimpleQueue()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                self.send_response(200)
                self.send_header("Cache-Control", "no-store")
                self.send_header("Content-Length", "0")
                self.end_headers()
                received.put((self.path, self.headers.get_content_type(), parse_qsl(body)))

            def log_message(self, *_):
                """Say nothing."""

        self._received = received
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        self.address = f"http://127.0.0.1:{self._server.server_port}/backchannel_logout"

    def next(self):
        """Return path, content type and form of the next request."""
        return self._received.get(timeout=_SECONDS)

    def stop(self):
        """Close the address."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
