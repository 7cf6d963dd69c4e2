"""A commit that has become dearer fails the run; one that has not does not."""

import json
import shutil
import subprocess
import sys
from types import SimpleNamespace

import pytest

from bench import regression
from bench.comparison import dearer
from bench.mode import Bench
from tests.bench.columns import column
from tests.parts import program
from tests.processes import ROOT, clean_environment

COPIED = ("alembic", "authservice", "bench", "requirements", "local.ini", "setup.py")
COMMITTER = ("-c", "user.name=Somebody", "-c", "user.email=somebody@example.com")


def bench_of(*columns):
    return Bench(
        [SimpleNamespace(column=each) for each in columns], SimpleNamespace(cases=("flow",))
    )


@pytest.mark.parametrize(("cost", "found"), [(115, []), (116, ["flow"])])
def test_what_is_dearer_by_more_than_the_limit_is_suspicious(cost, found):
    base, other = column("base", {"flow": 100}), column("other", {"flow": cost})

    suspicious = dearer(base, other, ["flow"], regression.LIMIT)

    assert [each.case for each in suspicious] == found


def test_a_run_without_anything_suspicious_passes_at_once():
    judgement = regression.judge(
        bench_of(
            column("v1", {"flow": 100}, {"flow": 90}), column("now", {"flow": 99}, {"flow": 99})
        )
    )

    assert judgement.failures == ()
    assert "now : v1, cpu_us" in judgement.text
    assert "1.04 [0.99..1.10]" in judgement.text


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
    view = copy / "authservice" / "web" / "views" / "health.py"
    before = "    headers = ["
    assert before in view.read_text()
    view.write_text(view.read_text().replace(before, f"    sum(range(300_000))\n{before}"))
    return copy


def test_a_case_that_became_dearer_is_measured_once_more_and_fails(checkout):
    options = ["--against", "HEAD", "--only", "health", "--seconds", "0.3", "--rounds", "1"]

    done = subprocess.run(
        [sys.executable, "-m", "bench", *options],
        cwd=checkout,
        env=clean_environment() | {"PYTHONPATH": str(checkout)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1, done.stderr
    assert "FAILED: health takes" in done.stdout
    (kept,) = (checkout / "bench" / "results").glob("*.json")
    earlier, current = json.loads(kept.read_text())["columns"]
    assert current["name"] == f"{earlier['name']}-dirty"
    assert [list(each["cases"]) for each in current["rounds"]] == [["health"], ["health"]]
    assert kept.with_suffix(".svg").is_file()


def test_a_commit_that_is_not_there_is_refused(checkout):
    done = subprocess.run(
        [sys.executable, "-m", "bench", "--against", "v9"],
        cwd=checkout,
        env=clean_environment() | {"PYTHONPATH": str(checkout)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert "bench: there is no commit 'v9'" in done.stderr
