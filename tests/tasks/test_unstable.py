"""Which failures get a second try, and what the report says of them."""

import os
import subprocess
import sys

import pytest

from tests.helpers.processes import ROOT

_INI = f"""
[pytest]
addopts = -q -n2 -p xdist --import-mode=importlib
pythonpath = {ROOT}
markers = attack
"""
_CONFTEST = """
from tests.helpers import unstable

def pytest_addoption(parser):
    parser.addoption("--all", action="store_true")

def pytest_configure(config):
    config.pluginmanager.register(unstable)
"""
_IMPORTS = """
import os, pytest

def passes_alone():
    if "PYTEST_XDIST_WORKER" in os.environ:
        pytest.fail("at first")
"""
# A run of its own, though this one may be in parallel. To load all plugins takes seconds.
_ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
_ENVIRONMENT["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"


@pytest.fixture
def run(tmp_path):
    def run_pytest(tests):
        (tmp_path / "pytest.ini").write_text(_INI)
        (tmp_path / "conftest.py").write_text(_CONFTEST)
        for name, text in tests.items():
            file = tmp_path / "tests" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"{_IMPORTS}\n{text}\n")
        done = subprocess.run(
            [sys.executable, "-m", "pytest"],
            cwd=tmp_path,
            env=_ENVIRONMENT,
            check=False,
            capture_output=True,
            text=True,
        )
        return done.returncode, done.stdout.splitlines()

    return run_pytest


def test_what_passes_alone_is_named_and_does_not_fail_the_run(run):
    fixture = "@pytest.fixture\ndef it(): passes_alone()\ndef test_set_up(it): pass"

    status, lines = run(
        {"functional/test_x.py": "def test_it(): passes_alone()", "pages/test_x.py": fixture}
    )

    assert status == 0
    assert "unstable: tests/functional/test_x.py::test_it" in lines
    assert "unstable: tests/pages/test_x.py::test_set_up" in lines
    assert len([line for line in lines if line.endswith("Failed: at first")]) == 2
    assert lines[-1].startswith("2 unstable in ")


@pytest.mark.parametrize(
    "tests",
    [
        {
            "functional/test_x.py": "def test_it(): assert False",
            "races/test_x.py": "def test_it(): passes_alone()",
            "stateful/test_x.py": "def test_it(): passes_alone()",
        },
        {
            "attacks/test_x.py": "def test_it(): passes_alone()",
            "functional/test_x.py": "@pytest.mark.attack\ndef test_it(): passes_alone()",
            "tidying_up/test_x.py": (
                "@pytest.fixture\ndef it(): yield; passes_alone()\ndef test_it(it): pass"
            ),
        },
        {"functional/test_x.py": "def test_it(): os.getenv('PYTEST_XDIST_WORKER') and os._exit(1)"},
        {"functional/test_x.py": "passes_alone()\ndef test_it(): pass"},
        {
            "functional/test_x.py": (
                "@pytest.mark.parametrize('n', range(4))\ndef test_it(n): passes_alone()"
            )
        },
    ],
    ids=["twice_and_race_and_stateful", "attacks_and_tidying_up", "crash", "collection", "four"],
)
def test_what_stays_a_failure(run, tests):
    status, lines = run(tests)

    assert status == 1
    assert not [line for line in lines if line.startswith("unstable: ")]
