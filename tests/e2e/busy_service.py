"""A service that has had too many requests, as an application meets it: all but metadata is 429."""

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler

import requests

from tests.e2e.serving import serving

WAIT = "17"
_BODY = {"error": "temporarily_unavailable", "message": "Too many requests: try again later"}


class _Busy(BaseHTTPRequestHandler):
    def do_GET(self):
        if "/.well-known/" not in self.path:
            self.do_POST()
            return
        described = requests.get(f"{self.server.real_url}{self.path}", timeout=20).text
        self._answer(200, described.replace(self.server.real_url, self.server.url))

    def do_POST(self):
        self._answer(429, json.dumps(_BODY), {"Retry-After": WAIT})

    def _answer(self, status, body, headers=()):
        sent = dict(headers) | {
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
            "Connection": "close",
        }
        if origin := self.headers.get("Origin"):
            sent |= {
                "Access-Control-Allow-Origin": origin,
                "Access-Control-Allow-Credentials": "true",
                "Access-Control-Expose-Headers": "Retry-After",
            }
        self.send_response(status)
        for name, value in sent.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        """Keep the output of the tests clean."""


@contextmanager
def busy_service(real_url):
    """Run one on a port of localhost, with the metadata of a service that is not busy."""
    with serving(_Busy) as server:
        server.real_url = real_url
        yield server
