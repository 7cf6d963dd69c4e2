"""HTTPS to any host of the deployment, from a chosen loopback address, without a cookie jar."""

import http.client
import json
import socket
import ssl
from contextlib import closing
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit


@dataclass(frozen=True)
class Answer:
    """Status, headers (``http.client.HTTPMessage``) and body."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def text(self):
        return self.body.decode()


class Caller:
    """Connects to nginx whatever the host is called; certificates are checked all the same."""

    def __init__(self, port, bundle, address="127.0.0.1"):
        self._port = port
        self._address = address
        self._context = ssl.create_default_context(cafile=bundle)

    def get(self, url, **headers):
        return self.send("GET", url, None, headers)

    def post_json(self, url, content, **headers):
        return self.send(
            "POST", url, json.dumps(content), {"Content-Type": "application/json"} | headers
        )

    def post_form(self, url, fields, **headers):
        content_type = {"Content-Type": "application/x-www-form-urlencoded"}
        return self.send("POST", url, urlencode(fields), content_type | headers)

    def send(self, method, url, body, headers):
        """Return the answer, of any status and not followed; ``_`` in header names is ``-``."""
        parts = urlsplit(url)
        with closing(self._connect(parts.hostname)) as connection:
            return _ask(connection, method, parts, body, headers)

    def statuses(self, times, url, **headers):
        """Ask several times in a row, as fast as one connection allows."""
        return self.statuses_of([headers] * times, url)

    def statuses_of(self, requests, url):
        """Ask once with each of the headers, as fast as one connection allows."""
        parts = urlsplit(url)
        with closing(self._connect(parts.hostname)) as connection:
            return [_ask(connection, "GET", parts, None, headers).status for headers in requests]

    def connected(self, host):
        """Return a connection on which a test writes its requests itself."""
        plain = socket.create_connection(
            ("127.0.0.1", self._port), timeout=30, source_address=(self._address, 0)
        )
        # As http.client does: the request does not wait until the handshake is acknowledged.
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return self._context.wrap_socket(plain, server_hostname=host)

    def _connect(self, host):
        connection = http.client.HTTPSConnection(host, timeout=30)
        connection.sock = self.connected(host)
        return connection


def _ask(connection, method, parts, body, headers):
    target = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, target, body, named)
    answer = connection.getresponse()
    return Answer(answer.status, answer.headers, answer.read())
