"""First-party applications: the npm client in Node.js, and in pages that Chromium shows."""

import sys

import pytest

from tests.first_party.npm_client import NpmClient
from tests.first_party.web_site import FOREIGN_HOST, WebSite
from tests.helpers.npm_bundle import bundle_client
from tests.helpers.ports import free_port
from tests.helpers.processes import Process
from tests.helpers.service_fixture import service  # noqa: F401  (a fixture)

APPLICATION = "http://localhost:3999"
PAGE = '<!doctype html><title>An application</title><body><script src="client.js"></script>'


@pytest.fixture
def make_client(service):  # noqa: F811
    """Start an npm client; without an origin its requests name none, like Node's own."""
    started = []

    def start(origin=APPLICATION):
        started.append(NpmClient(service.url, origin))
        return started[-1]

    yield start
    for client in started:
        client.stop()


@pytest.fixture
def client(make_client):
    return make_client()


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """A folder with a page that loads the npm client, bundled as front ends bundle it."""
    folder = tmp_path_factory.mktemp("pages")
    (folder / "index.html").write_text(PAGE, encoding="utf-8")
    bundle_client(folder)
    return folder


@pytest.fixture(scope="session")
def web_server(pages):
    """Serve that page from a port of its own on two loopback addresses."""
    port = free_port()
    command = [sys.executable, "-m", "http.server", port, "--directory", pages, "--bind"]
    servers = [Process([*command, host], ready=f":{port}") for host in ("127.0.0.1", "127.0.0.2")]
    yield port
    for server in servers:
        server.stop()


@pytest.fixture(scope="session")
def chromium(launch_chromium):
    return launch_chromium(f"--host-resolver-rules=MAP {FOREIGN_HOST} 127.0.0.1")


@pytest.fixture
def tab(chromium):
    """A tab of a browser that has been nowhere."""
    with chromium.new_context() as context:
        yield context.new_page()


@pytest.fixture
def make_site(service, web_server, tab):  # noqa: F811
    return lambda host: WebSite(host, web_server, service, tab)
