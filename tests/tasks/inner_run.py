"""A run of pytest within a test, with the plugins of our own and nothing else of this one's."""

import os
import subprocess
import sys

import pytest

from tests.helpers.processes import ROOT

_INI = f"""
[pytest]
addopts = -q -n1 -p xdist -p pytest_timeout -p pytest_rerunfailures --import-mode=importlib
    --reruns=1 --max-suite-reruns=3 -rfER --rerun-show-tracebacks
rerun_except = left behind
pythonpath = {ROOT}
markers = attack
verbosity_subtests = 0
"""
_CONFTEST = """
from tests.helpers import leftovers, parts, second_try, time_limits
from tests.helpers.scheduling import ByFileAndEngine

def pytest_xdist_make_scheduler(config, log):
    return ByFileAndEngine(config, log)

def pytest_addoption(parser):
    parser.addoption("--all", action="store_true")

def pytest_configure(config):
    for plugin in (leftovers, parts, second_try, time_limits):
        config.pluginmanager.register(plugin)
"""
# It is in parallel, and alone, whatever this one is. To load all plugins takes seconds.
_ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
_ENVIRONMENT["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"


@pytest.fixture
def run_pytest(tmp_path):
    """Run tests, texts by file; return the exit status and the lines of the report."""

    def run(tests, *options):
        (tmp_path / "pytest.ini").write_text(_INI)
        (tmp_path / "conftest.py").write_text(_CONFTEST)
        for name, text in tests.items():
            file = tmp_path / "tests" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *options],
            cwd=tmp_path,
            env=_ENVIRONMENT,
            check=False,
            capture_output=True,
            text=True,
        )
        return done.returncode, (done.stdout + done.stderr).splitlines()

    return run
