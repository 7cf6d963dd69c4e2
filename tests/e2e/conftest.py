"""Relying parties of the tests, registered at a real local-mode server."""

import json

import pytest

from tests.helpers.service_fixture import service  # noqa: F401  (a fixture)


@pytest.fixture
def register(service):  # noqa: F811
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
