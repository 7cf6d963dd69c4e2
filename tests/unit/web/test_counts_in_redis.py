"""Counts in Redis, while what listens at its address accepts connections and answers nothing."""

import selectors
import socket

import pytest
from limits import RateLimitItemPerSecond

from authservice.web.request.counts import RateLimits

ONE = RateLimitItemPerSecond(1, 10)


@pytest.fixture
def silent():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening


def _connections(listening):
    """Return how many have been made and not been accepted yet."""
    listening.setblocking(False)
    made = []
    with selectors.DefaultSelector() as selector:
        selector.register(listening, selectors.EVENT_READ)
        while selector.select(timeout=0):
            made.append(listening.accept()[0])
    for each in made:
        each.close()
    return len(made)


@pytest.mark.attack("EXHAUSTION-silent-storage")
def test_few_requests_wait_for_a_storage_that_is_silent(silent, caplog):
    limits = RateLimits(f"redis://127.0.0.1:{silent.getsockname()[1]}/0")

    for _ in range(60):
        limits.count(ONE, "page", "198.51.100.1")

    waited = _connections(silent)
    # One of them, unless this machine takes seconds for the others.
    assert 1 <= waited <= 10
    assert len(caplog.messages) == waited
    assert "rate limits are off: the storage cannot be reached" in caplog.text
