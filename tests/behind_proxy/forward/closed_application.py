"""An application that knows nothing of sign-ins, and relies on the proxy in front of it."""

import json
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


class ClosedApplication:
    """Answers with what has reached it, and sends back what comes by a websocket."""

    def __init__(self):
        self.reached = []
        """The target of each request."""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.application = self
        self.port = self._server.server_port
        self._thread = Thread(target=self._server.serve_forever)
        self._thread.start()

    def close(self):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # On a connection that is kept, the body would wait for the acknowledgement of the head.
    disable_nagle_algorithm = True

    def _answer(self):
        self.server.application.reached.append(self.path)
        if self.headers["Upgrade"]:
            self._echo()
            return
        try:
            body = self._body().decode()
        except (ConnectionError, ValueError):
            # The proxy has cut it off.
            self.close_connection = True
            return
        seen = {"method": self.command, "target": self.path, "body": body}
        content = json.dumps(seen | {"headers": self.headers.items()}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        if origin := self.headers["Origin"]:
            self.send_header("Access-Control-Allow-Origin", origin)
            self.send_header("Access-Control-Allow-Credentials", "true")
            self.send_header("Access-Control-Allow-Methods", "PUT")
            self.send_header("Access-Control-Allow-Headers", "Content-Type")
        # A proxy that takes the body for too long is gone by now.
        with suppress(ConnectionError):
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_OPTIONS = do_PROPFIND = _answer  # noqa: N815

    def _body(self):
        """Return the body; raises ValueError for chunks of which the last one does not come."""
        if "Transfer-Encoding" not in self.headers:
            return self.rfile.read(int(self.headers["Content-Length"] or 0))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def _echo(self):
        self.send_response(101)
        self.send_header("Upgrade", self.headers["Upgrade"])
        self.send_header("Connection", "upgrade")
        self.end_headers()
        while received := self.connection.recv(4096):
            self.connection.sendall(received)
        self.close_connection = True

    def log_message(self, *_arguments):
        """Write nothing."""
