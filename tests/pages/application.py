"""The web site of a relying party: it shows how the browser came back to it."""

import threading
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

_PAGE = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Application</title>'
    '<link rel="icon" href="data:,"><h1>Back at the application</h1><p>{}</p>'
)


class Application:
    """Answers every request between construction and ``close``."""

    def __init__(self):
        self.arrivals = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.origin = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=[0.01])
        self._thread.start()

    def close(self):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _handler(application):  # noqa: N805  (the handler below has the name self)
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # the page does not wait for its head to be acknowledged

            def do_GET(self):
                self._show(urlsplit(self.path).query)

            def do_POST(self):
                self._show(self.rfile.read(int(self.headers["Content-Length"])).decode())

            def _show(self, parameters):
                received = {name: values[0] for name, values in parse_qs(parameters).items()}
                application.arrivals.append(received)
                page = _PAGE.format(escape(", ".join(sorted(received)))).encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(page)))
                self.end_headers()
                self.wfile.write(page)

            def log_message(self, *_):
                pass

        return Handler
