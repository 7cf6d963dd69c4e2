"""The tasks that run tests: which tests, and whether these may install what they lack."""

import pytest

PARALLEL = "--numprocesses=auto --no-loadscope-reorder"
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
