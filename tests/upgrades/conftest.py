"""Versions on one database, stopped in the end."""

from contextlib import ExitStack
from dataclasses import dataclass

import pytest


@dataclass(frozen=True)
class Database:
    """The address of a database with nothing in it, and what else versions need to use it."""

    url: str
    environ: dict


@pytest.fixture
def database(engine, tmp_path):
    url = engine.empty(tmp_path)
    yield Database(url, engine.local_environ)
    engine.drop(url)


@pytest.fixture
def serve():
    """Start a version's server, which is stopped in the end."""
    with ExitStack() as stack:

        def start(version):
            process = version.serve()
            stack.callback(process.stop)
            return process

        yield start
