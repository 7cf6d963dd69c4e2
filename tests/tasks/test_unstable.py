"""Which failures get a second try, and what the report says of them."""

import pytest

IMPORTS = """
import os, pytest

def passes_alone():
    if "PYTEST_XDIST_WORKER" in os.environ:
        pytest.fail("at first")
"""


@pytest.fixture
def run(run_pytest):
    return lambda tests: run_pytest({name: IMPORTS + text for name, text in tests.items()})


def test_what_passes_alone_is_named_and_does_not_fail_the_run(run):
    status, lines = run(
        {
            "functional/test_x.py": (
                "import logging\ndef test_it(): logging.warning('what it logged'); passes_alone()"
            ),
            "pages/test_x.py": (
                "@pytest.fixture\ndef it(): passes_alone()\ndef test_set_up(it): pass"
            ),
            "unit/test_x.py": (
                "def test_rows(subtests):\n"
                "    for n in range(2):\n"
                "        with subtests.test(n=n): passes_alone()"
            ),
        }
    )

    assert status == 0
    assert "unstable: tests/functional/test_x.py::test_it" in lines
    assert "unstable: tests/pages/test_x.py::test_set_up" in lines
    assert lines.count("unstable: tests/unit/test_x.py::test_rows") == 1
    assert len([line for line in lines if line.endswith("Failed: at first")]) == 4
    assert any(line.endswith("what it logged") for line in lines)
    # pytest counts a row that fails, too.
    assert lines[-1].startswith("5 unstable in ")


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
