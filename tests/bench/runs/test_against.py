"""``./run bench --against``: a checkout whose health check has become dear fails."""

import json
import shutil
import subprocess
import sys

import pytest

from tests.helpers.parts import program
from tests.helpers.processes import ROOT, finished

COPIED = ("alembic", "authservice", "tools", "requirements", "local.ini", "setup.py")
COMMITTER = ("-c", "user.name=Developer", "-c", "user.email=developer@example.com")


@pytest.fixture
def checkout(tmp_path):
    """A checkout whose health check has become dear since its last commit."""
    copy = tmp_path / "checkout"
    copy.mkdir()
    for name in COPIED:
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "results")
            shutil.copytree(ROOT / name, copy / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, copy / name)
    git = program("git")
    for command in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "Before"]):
        subprocess.run([git, *COMMITTER, *command], cwd=copy, check=True)
    view = copy / "authservice" / "web" / "views" / "operation" / "health.py"
    before = "    headers = ["
    assert before in view.read_text()
    view.write_text(view.read_text().replace(before, f"    sum(range(300_000))\n{before}"))
    return copy


def test_a_case_that_became_dearer_is_measured_once_more_and_fails(checkout):
    options = ["--against", "HEAD", "--only", "health", "--seconds", "0.3", "--rounds", "1"]

    done = finished(
        [sys.executable, "-m", "tools.bench", *options],
        cwd=checkout,
        env={"PYTHONPATH": str(checkout)},
    )

    assert done.returncode == 1, done.stderr
    assert "FAILED: health takes" in done.stdout
    (kept,) = (checkout / "tools" / "bench" / "results").glob("*.json")
    earlier, current = json.loads(kept.read_text())["columns"]
    assert current["name"] == f"{earlier['name']}-dirty"
    assert [list(each["cases"]) for each in current["rounds"]] == [["health"], ["health"]]


def test_a_commit_that_is_not_there_is_refused(checkout):
    done = finished(
        [sys.executable, "-m", "tools.bench", "--against", "v9"],
        cwd=checkout,
        env={"PYTHONPATH": str(checkout)},
    )

    assert done.returncode == 1
    assert "bench: there is no commit 'v9'" in done.stderr
