"""Which failures get a second try, and what the report says of them."""

import pytest

IMPORTS = """
import os, pathlib, pytest

def passes_again(name="once"):
    file = pathlib.Path(__file__).with_suffix("." + name)
    if not file.exists():
        file.touch()
        pytest.fail("at first")
"""


@pytest.fixture
def run(run_pytest):
    return lambda tests: run_pytest({name: IMPORTS + text for name, text in tests.items()})


def test_what_passes_then_is_named_and_does_not_fail_the_run(run):
    status, lines = run(
        {
            "functional/test_x.py": "def test_it(): passes_again()",
            "pages/test_x.py": (
                "@pytest.fixture\ndef it(): passes_again()\ndef test_set_up(it): pass"
            ),
            "unit/test_x.py": (
                "def test_rows(subtests):\n"
                "    for n in range(2):\n"
                "        with subtests.test(n=n): passes_again(str(n))"
            ),
        }
    )

    assert status == 0
    for test in ("functional/test_x.py::test_it", "pages/test_x.py::test_set_up"):
        assert [line for line in lines if line.startswith(f"RERUN tests/{test}")]
    assert [line for line in lines if line.startswith("RERUN tests/unit/test_x.py::test_rows")]
    assert [line for line in lines if line.endswith("Failed: at first")]
    assert lines[-1].startswith("3 passed, 3 rerun in ")


@pytest.mark.parametrize(
    ("outcome", "tests"),
    [
        (
            "3 failed, 1 rerun",
            {
                "functional/test_x.py": "def test_it(): assert False",
                "races/test_x.py": "def test_it(): passes_again()",
                "stateful/test_x.py": "def test_it(): passes_again()",
            },
        ),
        (
            "2 failed, 1 passed, 1 error",
            {
                "attacks/test_x.py": "def test_it(): passes_again()",
                "functional/test_x.py": "@pytest.mark.attack\ndef test_it(): passes_again()",
                "unit/test_x.py": (
                    "import subprocess\ndef test_it(): subprocess.Popen(['sleep', '9'])"
                ),
            },
        ),
        ("1 failed", {"functional/test_x.py": "def test_it(): os._exit(1)"}),
        ("1 error", {"functional/test_x.py": "passes_again()\ndef test_it(): pass"}),
        (
            "1 failed, 3 passed, 3 rerun",
            {
                "functional/test_x.py": (
                    "@pytest.mark.parametrize('n', range(4))\ndef test_it(n): passes_again(str(n))"
                )
            },
        ),
    ],
    ids=["twice_and_race_and_stateful", "attacks_and_left_behind", "crash", "collection", "four"],
)
def test_what_stays_a_failure(run, tests, outcome):
    status, lines = run(tests)

    assert status == 1
    assert lines[-1].startswith(f"{outcome} in ")
