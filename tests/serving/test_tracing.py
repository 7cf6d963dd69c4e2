"""Traces of real servers: every worker sends its own, the last ones as it ends."""

import pytest
import requests

from tests.helpers.otlp_receiver import OTLPReceiver
from tests.serving.servers import COMMANDS, Server


@pytest.mark.parametrize(("name", "workers"), [(name, 1) for name in COMMANDS] + [("granian", 2)])
def test_requests_of_all_processes_arrive(name, workers, tmp_path, stopped_in_the_end):
    collector = OTLPReceiver()
    try:
        server = stopped_in_the_end(Server(name, tmp_path, workers=workers, **collector.environ))
        for _ in range(10):
            requests.get(f"{server.url}/api/auth/jwks", timeout=20)
        assert server.stop() == 0
    finally:
        collector.close()

    assert len(collector.named("GET /api/auth/jwks")) == 10
