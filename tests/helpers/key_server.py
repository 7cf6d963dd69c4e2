"""An address that a client has its keys at: a real server on loopback that can do it badly."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

PATIENCE = 20


class KeyServer:
    """Answers every request with ``body``, and counts them; while it is held it answers nothing."""

    def __init__(self):
        self.status = 200
        self.headers = {}
        self.body = b"{}"
        self.asked = 0
        self._arrived = threading.Semaphore(0)
        self._go_on = threading.Event()
        self._go_on.set()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=[0.01])
        self._thread.start()

    @property
    def uri(self):
        return f"http://127.0.0.1:{self._server.server_port}/keys"

    def publish(self, content):
        self.body = json.dumps(content).encode()

    def hold(self):
        """Answer no request until ``release``."""
        self._go_on.clear()

    def release(self):
        self._go_on.set()

    def wait(self):
        """Return when a request has arrived, one for each call."""
        assert self._arrived.acquire(timeout=PATIENCE)

    def close(self):
        self.release()
        self._server.shutdown()
        self._thread.join()
        # Waits for the requests that are being answered.
        self._server.server_close()

    def _handler(server):  # noqa: N805  (the handler below has the name self)
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                server.asked += 1
                server._arrived.release()
                server._go_on.wait(PATIENCE)
                try:
                    self.send_response(server.status)
                    for name, value in server.headers.items():
                        self.send_header(name, value)
                    self.send_header("Content-Length", str(len(server.body)))
                    self.end_headers()
                    self.wfile.write(server.body)
                except OSError:
                    # The client has hung up.
                    self.close_connection = True

            def log_message(self, *_):
                pass

        return Handler


@pytest.fixture
def key_server():
    made = KeyServer()
    yield made
    made.close()
