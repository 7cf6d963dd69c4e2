"""A real local-mode server, shared by the tests of one folder that talk to it over HTTP."""

import pytest

from tests.processes import LocalService


@pytest.fixture(scope="session")
def service(tmp_path_factory):
    started = LocalService(tmp_path_factory.mktemp("service"))
    yield started
    started.stop()
