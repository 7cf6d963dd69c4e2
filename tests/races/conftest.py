"""Processes beside those of the service, and a user to whom things happen."""

import subprocess
import sys
from itertools import count

import pytest

from tests.helpers.processes import ROOT, clean_environment
from tests.helpers.production import production_browser
from tests.helpers.published_keys import clients_of_all_algs  # noqa: F401  (fixture)
from tests.helpers.standin_fixture import (  # noqa: F401  (fixtures)
    identity_provider_process,
    identity_provider_standin,
    standin,
)
from tests.races.processes import NUMBER, TWICE_AS_MANY, Processes, arrival
from tests.races.story import Story


def _shared(number):
    shared = [Processes(number)]
    yield shared
    for processes in shared:
        processes.close()


@pytest.fixture(scope="session")
def shared_processes():
    """Four processes of the service, in a list until they do not do what they are told."""
    yield from _shared(NUMBER)


@pytest.fixture(scope="module")
def eight_shared_processes():
    """Eight of them, for as long as tests of a module ask for so many: they cost others time."""
    yield from _shared(TWICE_AS_MANY)


def _lent(shared, number):
    """Give processes that have built nothing yet, to use in an environment.

    They end before the database is put back: one that still follows it would take the emptied
    database for its own, and give the next test its keys.
    """
    (processes,) = shared or [Processes(number)]

    def make(environ):
        processes.use(environ)
        return processes

    yield make
    try:
        processes.end()
    except BaseException:
        shared.clear()
        processes.kill()
        raise
    if not shared:
        processes.close()


@pytest.fixture
def make_processes(shared_processes, database_url):
    """Give four processes that have built nothing yet, to use in an environment."""
    yield from _lent(shared_processes, NUMBER)


@pytest.fixture
def make_eight_processes(eight_shared_processes, database_url):
    """Give eight such processes."""
    yield from _lent(eight_shared_processes, TWICE_AS_MANY)


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


@pytest.fixture
def return_from_provider(app, standin):  # noqa: F811
    """Return a function that gives the request with which a login returns, in a new browser."""
    numbers = count(1)

    def request(login):
        browser = production_browser(app)
        browser.extra_environ["REMOTE_ADDR"] = f"192.0.2.{next(numbers)}"
        page = browser.get("/sign-in").forms[0].submit("choice", value="sign-in")
        back = standin.allow(browser.follow_home(page).location, login)
        return arrival(browser, browser.path(back))

    return request
