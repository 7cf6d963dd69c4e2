"""A TLS server with whatever certificate, that answers every request in the same way."""

import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class HttpsSite:
    """Serves on a free loopback port until it is closed."""

    def __init__(self, certificate, *, answer=lambda path: (404, "text/plain", b""), date=None):
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                status, content_type, body = answer(self.path)
                self.send_response(status)
                self.send_header("Content-Type", content_type)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self):
                self.do_GET()

            def date_time_string(self, timestamp=None):
                return date or super().date_time_string(timestamp)

            def log_message(self, *_arguments):
                """Say nothing."""

        self._server = _Server(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        # The handshake belongs to the thread of the connection, not to the one that accepts.
        self._server.socket = context.wrap_socket(
            self._server.socket, server_side=True, do_handshake_on_connect=False
        )
        self.port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, args=[0.05])
        self._thread.start()

    def close(self):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    def handle_error(self, _request, _address):
        """Say nothing of callers who do not accept the certificate."""
