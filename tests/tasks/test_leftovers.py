"""Who leaves a process or a database behind fails by name, and what is left of it is ended."""

from pathlib import Path

import pytest

from tests.helpers.processes import Process

TESTS = """
import os, subprocess
from pathlib import Path
import pytest
from tests.helpers import leftovers

def start(*command):
    process = subprocess.Popen(command)
    with open("started", "a") as started:
        started.write(f"{process.pid}\\n")
    return process

@pytest.fixture(scope="module", autouse=True)
def shared():
    leftovers.databases.add("of-all-tests")
    servers = [start("sleep", "61")]
    yield servers
    for server in servers:
        server.kill()
        server.wait()
    leftovers.databases.remove("of-all-tests")

@pytest.fixture
def server():
    start("sleep", "62")

def test_restart(shared):
    shared[0].kill()
    shared[0].wait()
    shared.append(start("sleep", "61"))

def test_call():
    start("sleep", "63")

def test_orphan():
    # Of a session of its own, and its parent is gone.
    start("sh", "-c", "setsid sleep 64 & echo $! >> started").wait()

def test_set_up(server):
    pass

def test_database():
    leftovers.databases.add("test-database")

def test_nothing():
    start("sleep", "0.1")
"""
LEFT = {
    "test_call": "left behind: sleep 63",
    "test_orphan": "left behind: sleep 64",
    "test_set_up": "left behind: sleep 62",
    "test_database": "left behind: test-database",
}
SHARED_AND_CRASHED = """
import os, subprocess
import pytest

@pytest.fixture(scope="module")
def shared():
    with open("started", "a") as started:
        started.write(f"{subprocess.Popen(['sleep', '65']).pid}\\n")

def test_some(shared):
    pass

def test_last(shared):
    if CRASH:
        os._exit(1)
"""


def test_a_test_that_leaves_something_behind_fails(run_pytest, tmp_path):
    status, lines = run_pytest({"test_x.py": TESTS})

    assert status == 1
    errors = [line for line in lines if line.startswith("ERROR ")]
    assert errors == [
        f"ERROR tests/test_x.py::{test} - Failed: {left}" for test, left in LEFT.items()
    ]
    assert lines[-1].startswith("6 passed, 4 errors in ")
    assert running(tmp_path) == []


@pytest.mark.parametrize("crash", [False, True])
def test_what_a_fixture_of_several_tests_leaves_is_ended(run_pytest, tmp_path, crash):
    status, lines = run_pytest({"test_x.py": f"CRASH = {crash}\n{SHARED_AND_CRASHED}"})

    assert status == 1
    how = "FAILED" if crash else "ERROR"
    (named,) = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    assert named.startswith(f"{how} tests/test_x.py::test_last")
    assert running(tmp_path) == []


def test_a_program_whose_children_outlive_it_fails_the_test_that_stops_it():
    program = Process(["sh", "-c", "sleep 66 & echo ready; wait"], ready="ready")

    with pytest.raises(AssertionError, match="what it has started goes on"):
        program.stop()


@pytest.mark.engines("sqlite", "postgresql")
def test_a_database_is_given_back_once(engine, tmp_path):
    url = engine.migrated(tmp_path)
    engine.drop(url)

    with pytest.raises(AssertionError, match="given back twice"):
        engine.drop(url)


def running(folder):
    started = (folder / "started").read_text().split()
    assert started
    return [number for number in started if Path(f"/proc/{number}").exists()]
