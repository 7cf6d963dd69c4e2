"""An application that knows nothing of sign-ins, behind the shipped file of each proxy."""

import http.client
import json
import socket

import pytest

from tests.behind_proxy.forward.closed_application import ClosedApplication
from tests.behind_proxy.forward.proxies import OPEN, caddy, nginx
from tests.behind_proxy.https import Caller


class Dashboard:
    """The application behind its proxy, and requests as they are written to the proxy."""

    def __init__(self, application, proxy, caller):
        self.application = application
        self.proxy = proxy
        self._caller = caller

    def connected(self):
        return self._caller.connected(OPEN)

    def ask(self, target="/", headers=None, *, method="GET", host=OPEN, body=b"", lines=()):
        """Return status, headers and body; ``lines`` are headers in bytes, as they are."""
        length = {"Content-Length": len(body)} if body else {}
        return self.raw(target, length | (headers or {}), method, host, lines, body)

    def raw(self, target, headers, method, host, lines, body):
        """Ask with nothing but these headers, host and an end of the connection."""
        named = {"Host": host, "Connection": "close"} | headers
        written = [f"{name}: {value}".encode("latin-1") for name, value in named.items()]
        first = f"{method} {target} HTTP/1.1".encode("latin-1")
        with self.connected() as connection:
            connection.sendall(b"\r\n".join([first, *written, *lines, b"", body]))
            answer = http.client.HTTPResponse(connection, method=method)
            answer.begin()
            return answer.status, answer.headers, answer.read()

    def seen(self, *arguments, **options):
        """Return what reaches the application of a request; ``headers`` by lower-case names.

        Empty ones, which some proxies leave out, are none.
        """
        status, _, body = self.ask(*arguments, **options)
        assert status == 200, body
        said = json.loads(body)
        headers = {}
        for name, value in said["headers"]:
            if value:
                headers.setdefault(name.lower(), []).append(value)
        return said | {"headers": headers}


@pytest.fixture(scope="module")
def application():
    made = ClosedApplication()
    yield made
    made.close()


@pytest.fixture(scope="module", params=[nginx, caddy], ids=["nginx", "caddy"])
def behind(request, running, application, tmp_path_factory):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        folder = tmp_path_factory.mktemp("dashboard")
        proxy = request.param(running, application, silent.getsockname()[1], folder)
        yield Dashboard(application, proxy, Caller(proxy.port, running.authority.bundle))
        proxy.process.stop()


@pytest.fixture
def dashboard(production, behind):
    behind.application.reached.clear()
    return behind
