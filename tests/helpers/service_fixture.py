"""A real local-mode server, shared by the tests of one folder that talk to it over HTTP."""

import pytest

from tests.helpers.processes import LocalService


@pytest.fixture(scope="session")
def service(engine, tmp_path_factory):
    folder = tmp_path_factory.mktemp("service")
    url = engine.empty(folder)
    started = LocalService(folder, AUTH_DATABASE_URL=url, **engine.local_environ)
    yield started
    started.stop()
    engine.drop(url)
