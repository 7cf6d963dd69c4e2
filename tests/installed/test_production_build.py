"""A build without the package of local mode, as the production image is."""

import json
import shutil
import sys

import pytest

from tests.helpers.applications import LOCAL
from tests.helpers.processes import ROOT, finished
from tests.helpers.production import PRODUCTION_ENVIRON, PRODUCTION_INI

START = "import json, sys, authservice; authservice.main({}, **json.loads(sys.argv[1]))"
NO_LOCAL_MODE = "auth.mode: must be production; this build has no local mode"


@pytest.fixture
def start(tmp_path, database_url):
    """Build the application of a copy without that package; return status and last words."""
    package = tmp_path / "build" / "authservice"
    shutil.copytree(ROOT / "authservice", package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.rmtree(package / "local_mode")
    # As a process that imported it before may leave it.
    (package / "local_mode" / "__pycache__").mkdir(parents=True)

    def run(ini, **environ):
        wanted = json.dumps(ini | {"auth.database_url": database_url})
        ended = finished(
            [sys.executable, "-W", "ignore", "-c", START, wanted],
            cwd=tmp_path,
            env={"PYTHONPATH": str(package.parent)} | environ,
        )
        return ended.returncode, ended.stderr

    return run


@pytest.mark.parametrize("environ", [{}, {"AUTH_MODE": "local"}, PRODUCTION_ENVIRON])
def test_it_refuses_local_mode_whatever_the_environment_says(start, environ):
    status, words = start(LOCAL, **environ)

    assert (status, NO_LOCAL_MODE in words) == (1, True)


def test_it_serves_in_production(start):
    assert start(PRODUCTION_INI, **PRODUCTION_ENVIRON) == (0, "")
