"""The tasks that run tests: which tests, and whether these may install what they lack."""

import os

import pytest

PARALLEL = f"--numprocesses={os.sysconf('SC_NPROCESSORS_ONLN') + 1} --no-loadscope-reorder"
LINT = ["ruff", "ruff", "mypy", "lint-imports", "check-jsonschema", "check-jsonschema"]


@pytest.mark.parametrize(
    ("task", "linted", "options"),
    [
        (["test"], [], ""),
        (["test", "--all", "tests/unit"], [], " --all tests/unit"),
        (["check", "-x"], ["pip", *LINT], " --cov -x"),
    ],
    ids=" ".join,
)
def test_tests_run_and_install_what_they_lack(checkout, task, linted, options):
    status, said = checkout.run("./run", *task)

    assert status == 0, said
    *before, last = checkout.done
    assert [line.partition(" ")[0] for line in before] == linted
    assert last == f"pytest {PARALLEL}{options} TESTS_INSTALL=yes"


def test_quick_tests_are_those_of_sqlite_and_install_nothing(checkout):
    status, said = checkout.run("./run", "quick", "-x")

    assert status == 0, said
    *before, last = checkout.done
    assert [line.partition(" ")[0] for line in before] == ["pip", *LINT]
    folders = "tests/unit tests/pins tests/functional"
    assert last == f"pytest {PARALLEL} --engines=sqlite -x {folders} TESTS_INSTALL="
