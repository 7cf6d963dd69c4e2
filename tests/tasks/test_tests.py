"""The tasks that run tests: which tests, and what is installed and linted before."""

import os
import subprocess
from itertools import product

import pytest

CORES = os.sysconf("SC_NPROCESSORS_ONLN")
AGAIN = "--reruns=1 --max-suite-reruns=3 --rerun-show-tracebacks"
QUICK = f"--numprocesses={CORES + 1} --no-loadscope-reorder {AGAIN}"
WHOLE = f"--numprocesses={CORES + 2} --no-loadscope-reorder {AGAIN}"
STYLE = ["ruff", "ruff"]
TYPES = ["mypy", "lint-imports"]
INSTALLED = [*["pip"] * 4, "npm", "go"]
SCHEMAS = [*["check-jsonschema"] * 3, "openapi-spec-validator"]
LINT = [*STYLE, *TYPES, *SCHEMAS]


@pytest.mark.parametrize(
    ("task", "before", "options"),
    [
        (["test"], INSTALLED, ""),
        (["test", "--all", "tests/unit"], INSTALLED, " --all tests/unit"),
        (["check", "-x"], ["pip", *INSTALLED, *LINT], " --cov -x"),
    ],
    ids=" ".join,
)
def test_tests_run_when_all_that_they_need_is_installed(checkout, task, before, options):
    status, said = checkout.run("./run", *task)

    assert status == 0, said
    *done, last = checkout.done
    assert [line.partition(" ")[0] for line in done] == before
    assert last == f"pytest {WHOLE}{options}"


def test_quick_tests_are_those_of_sqlite_and_install_nothing(checkout):
    status, said = checkout.run("./run", "quick", "-x")

    assert status == 0, said
    *before, last = checkout.done
    assert [line.partition(" ")[0] for line in before] == ["pip", *LINT]
    folders = "tests/unit tests/pins tests/functional"
    assert last == f"pytest {QUICK} --engines=sqlite -x {folders}"


def test_quick_lints_what_changed(subtests, checkout):
    for (file, linted), change in product(
        (
            ("authservice/clock.py", [*STYLE, *TYPES]),
            (".github/workflows/checks.yml", [*STYLE, *SCHEMAS]),
            ("requirements/lint.txt", LINT),
            ("docs/sqlite.md", STYLE),
        ),
        ("committed", "new"),
    ):
        with subtests.test(file=file, change=change):
            _commit(checkout, "everything")
            (checkout.folder / file).parent.mkdir(parents=True, exist_ok=True)
            (checkout.folder / file).write_text(change)
            _commit(checkout, "the last change" if change == "committed" else "nothing")
            before = len(checkout.done)
            checkout.run("./run", "quick")
            names = [line.partition(" ")[0] for line in checkout.done[before:]]
            assert [name for name in names if name not in {"pip", "pytest"}] == linted


def _commit(checkout, what):
    git = ["git", "-C", str(checkout.folder), "-c", "user.name=A", "-c", "user.email=a@localhost"]
    if not (checkout.folder / ".git").exists():
        subprocess.run([*git, "init", "--quiet"], check=True)
        (checkout.folder / ".gitignore").write_text(".venv*/\nbuild/\n")
    if what != "nothing":
        subprocess.run([*git, "add", "--all"], check=True)
    subprocess.run([*git, "commit", "--quiet", "--allow-empty", f"--message={what}"], check=True)
