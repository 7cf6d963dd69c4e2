"""Metrics of real servers: one answer, however many processes serve."""

import pytest
import requests

from authservice.settings.version import __version__
from tests.helpers.ports import free_port
from tests.helpers.scrape import scrape, value
from tests.serving.servers import COMMANDS, OURS, Server


@pytest.mark.parametrize(("name", "workers"), [(name, 1) for name in COMMANDS] + [("granian", 3)])
def test_requests_of_all_processes_are_counted(name, workers, tmp_path, stopped_in_the_end):
    port = free_port()
    settings = f"{OURS}metrics.listen = 127.0.0.1:{port}\n"
    server = stopped_in_the_end(Server(name, tmp_path, workers=workers, application=settings))
    for _ in range(20):
        # A connection of its own each time: the system hands it to any worker.
        requests.get(f"{server.url}/api/auth/jwks", timeout=20)

    samples = scrape(port)

    labels = {"method": "GET", "route": "/api/auth/jwks", "status": "200"}
    assert value(samples, "http_request_duration_seconds_count", **labels) == 20
    assert value(samples, "signing_key_created_timestamp_seconds", alg="RS256") > 0
    assert value(samples, "build_info", version=__version__) == 1
    assert server.stop() == 0
    with pytest.raises(requests.ConnectionError):
        scrape(port)
