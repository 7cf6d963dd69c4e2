"""The service behind a proxy, and the provider for the one answer that local mode does not give."""

import pytest

from tests.helpers.standin_fixture import (  # noqa: F401  (fixtures)
    identity_provider_process,
    identity_provider_standin,
    standin,
)


@pytest.fixture
def app(make_app):
    return make_app(auth__trusted_proxies="127.0.0.1")
