"""A first-party application: it forwards the browser's cookies, and knows nothing else."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import requests


class _Application(BaseHTTPRequestHandler):
    """Says who the service says is there, and knows nothing else."""

    def do_GET(self):
        answer = requests.get(
            f"{self.server.service_url}/api/auth/get-session",
            headers={"Cookie": self.headers.get("Cookie", "")},
            timeout=20,
        )
        body = json.dumps(answer.json()).encode()
        self.send_response(answer.status_code)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Keep the output of the tests clean."""


@contextmanager
def application_of(service_url):
    """Run one on a port of localhost; its ``url`` is where it answers."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Application) as server:
        server.service_url = service_url
        server.url = f"http://localhost:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()
