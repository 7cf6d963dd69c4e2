"""Machines to examine, and what stands around them: names, a provider, Redis."""

import pytest

from tests.diagnosis.machine import Machine
from tests.diagnosis.verification import service, verification  # noqa: F401  (fixtures)
from tests.helpers.host_names import authority, names  # noqa: F401  (fixtures)
from tests.helpers.standin_fixture import (  # noqa: F401  (fixtures)
    identity_provider_process,
    identity_provider_standin,
)
from tests.services.redis_server import RedisServer


@pytest.fixture
def make_machine(tmp_path, migrated_template, monkeypatch, capsys):
    """Set up a machine from one of the shipped ini files."""
    for name in ("https_proxy", "HTTPS_PROXY"):
        monkeypatch.delenv(name, raising=False)
    return lambda ini: Machine(tmp_path, migrated_template, monkeypatch, capsys, ini=ini)


@pytest.fixture
def machine(make_machine, identity_provider_standin, names):  # noqa: F811
    """A machine in order for production."""
    return make_machine("production.ini").production(identity_provider_standin, names)


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory):
    started = RedisServer(tmp_path_factory.mktemp("redis"))
    yield started
    started.stop()
