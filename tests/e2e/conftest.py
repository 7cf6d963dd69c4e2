"""Relying parties of the tests, registered at a real local-mode server."""

import json

import pytest

from tests.e2e.busy_service import busy_service
from tests.e2e.person import Person
from tests.helpers.processes import stopped_in_the_end  # noqa: F401  (a fixture)
from tests.helpers.service_fixture import service  # noqa: F401  (a fixture)
from tests.services.apache import apache_folder  # noqa: F401  (a fixture)


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


@pytest.fixture
def busy(service):  # noqa: F811
    """A service that has had too many requests."""
    with busy_service(service.url) as started:
        yield started


@pytest.fixture
def person(service):  # noqa: F811
    """A person with a browser that is signed in to nothing."""
    return Person(service.url)
