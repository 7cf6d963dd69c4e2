"""Real sockets on loopback for every test of the HTTP client."""

import socket
from contextlib import ExitStack

import pytest

from authservice.httpclient import Client, Timeouts
from tests.httpclient.certificates import Authority
from tests.httpclient.raw_server import RawServer


@pytest.fixture
def serve():
    """Start servers: ``serve(script, **options)``."""
    with ExitStack() as stack:
        yield lambda script, **options: stack.enter_context(RawServer(script, **options))


@pytest.fixture
def make_client():
    """Make clients that are closed after the test."""
    with ExitStack() as stack:
        yield lambda **settings: stack.enter_context(Client(**settings))


@pytest.fixture
def client(make_client):
    return make_client()


@pytest.fixture
def hasty(make_client):
    """Give up after a moment of silence."""
    return make_client(timeouts=Timeouts(connect=0.2, read=0.2, total=20))


@pytest.fixture(scope="session")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def names(monkeypatch):
    """Resolve the names in this mapping to the addresses it lists, all others as usual."""
    mapping: dict[str, list[str]] = {}
    system = socket.getaddrinfo

    def getaddrinfo(host, port, *args, **kwargs):
        if host not in mapping:
            return system(host, port, *args, **kwargs)
        return [entry for a in mapping[host] for entry in system(a, port, *args, **kwargs)]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return mapping
