"""Versions on one database, stopped in the end."""

from contextlib import ExitStack

import pytest


@pytest.fixture
def database(tmp_path):
    return tmp_path / "local.sqlite"


@pytest.fixture
def serve():
    """Start a version's server, which is stopped in the end."""
    with ExitStack() as stack:

        def start(version):
            process = version.serve()
            stack.callback(process.stop)
            return process

        yield start
