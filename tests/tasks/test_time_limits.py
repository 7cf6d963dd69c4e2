"""No test waits without an end, whether it is set up, called or tidied up."""

TESTS = """
import threading, time
import pytest

def wait():
    threading.Event().wait()

@pytest.fixture
def set_up():
    wait()

@pytest.fixture
def tidied_up():
    yield
    wait()

def test_call():
    threading.Thread(target=time.sleep, args=[20], name="the other one", daemon=True).start()
    wait()

def test_set_up(set_up):
    pass

def test_tidied_up(tidied_up):
    pass

def test_failed_and_tidied_up(tidied_up):
    pytest.fail("itself")

def test_after_all():
    pass
"""
STUBBORN = """
import time

def test_stubborn():
    while True:
        try:
            time.sleep(20)
        except BaseException:
            pass
"""


def test_what_takes_too_long_fails_and_the_run_goes_on(run_pytest):
    # Long enough for those that wait for nothing.
    status, lines = run_pytest({"test_x.py": TESTS}, "--timeout=2", "--reruns=0")

    assert status == 1
    named = {line.partition(" - ")[0] for line in lines if line.startswith(("FAILED", "ERROR"))}
    assert named == {
        "FAILED tests/test_x.py::test_call",
        "FAILED tests/test_x.py::test_failed_and_tidied_up",
        "ERROR tests/test_x.py::test_set_up",
        "ERROR tests/test_x.py::test_tidied_up",
        "ERROR tests/test_x.py::test_failed_and_tidied_up",
    }
    assert lines[-1].startswith("2 failed, 2 passed, 3 errors in ")
    assert any("Stack of the other one" in line for line in lines)


def test_what_no_signal_ends_ends_its_process(run_pytest):
    limits = ["faulthandler_timeout=1", "faulthandler_exit_on_timeout=true"]

    status, lines = run_pytest(
        {"test_x.py": STUBBORN}, "--timeout=0.5", *(f"--override-ini={each}" for each in limits)
    )

    assert status == 1
    assert any(line.startswith("FAILED tests/test_x.py::test_stubborn") for line in lines)
    assert any(line.endswith("in test_stubborn") for line in lines)


def test_a_browser_has_twice_the_time(request, launch_chromium):
    assert request.node.get_closest_marker("timeout").args == (120,)
