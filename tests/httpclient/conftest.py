"""Real sockets on loopback for every test of the HTTP client."""

from contextlib import ExitStack

import pytest

from authservice.httpclient import Client, Timeouts
from tests.helpers.host_names import authority, names  # noqa: F401  (fixtures)
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
