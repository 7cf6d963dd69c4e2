"""Processes beside those of the service, and somebody to whom things happen."""

import subprocess
import sys

import pytest

from tests.processes import ROOT, clean_environment
from tests.races.story import Story
from tests.standin_fixture import (  # noqa: F401  (fixtures)
    identity_provider_process,
    identity_provider_standin,
    standin,
)


@pytest.fixture
def traffic(database_url):
    """Start processes that read and write until the test ends, and return them."""
    started = []

    def start(*kinds):
        started.extend(
            subprocess.Popen(
                [sys.executable, "-m", "tests.races.traffic", kind, database_url],
                cwd=ROOT,
                env=clean_environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for kind in kinds
        )
        # Each says so when it has begun.
        for process in started:
            assert process.stdout.readline() == "busy\n"
        return started

    yield start
    for process in started:
        process.stdin.close()
    for process in started:
        assert process.wait(60) == 0
        process.stdout.close()


@pytest.fixture
def story(app, database, browser, relying_party):
    return Story(app, database, browser, relying_party)
