"""A server that nobody may lead the service to."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


@pytest.fixture
def inside():
    """A server inside the network; the value is its address and what it has received."""
    received = []

    class Handler(BaseHTTPRequestHandler):
        def handle_one_request(self):
            received.append(self.client_address)
            self.close_connection = True

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=[0.01])
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", received
    server.shutdown()
    thread.join()
    server.server_close()
