"""A real local-mode server, shared by the tests that talk to it over HTTP."""

import json

import pytest

from tests.processes import LocalService


@pytest.fixture(scope="session")
def service(tmp_path_factory):
    started = LocalService(tmp_path_factory.mktemp("service"))
    yield started
    started.stop()


@pytest.fixture
def register(service):
    """Register a client with the command and return what it prints as JSON."""

    def run(*flags, redirect_uri):
        return json.loads(
            service.command(
                "authservice-register",
                "--name",
                "Example App",
                "--redirect-uri",
                redirect_uri,
                "--json",
                *flags,
            )
        )

    return run
