"""Mutation testing: what is changed, what is not, and that tests are seen to fail."""

import pytest

from bench.checkouts import ROOT
from prove.mutants import subjects
from prove.mutants.operators import mutants
from prove.parts import PARTS


def changes(source):
    return [mutant.change for mutant in mutants("module.py", source)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a < b", ["a < b -> nothing", "a < b -> a >= b"]),
        ("x = a and b", ["a and b -> a or b"]),
        ("x = not a", ["not a -> a"]),
        ("x = a + 1", ["a + 1 -> a - 1", "1 -> 2"]),
        ("x = True", ["True -> False"]),
        ("x = 'name'", ["'name' -> 'nameX'"]),
        ("def f():\n    return a", ["return a -> return None"]),
        ("def f():\n    raise E", ["raise E -> nothing"]),
    ],
)
def test_one_thing_is_changed_in_each(source, expected):
    assert changes(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        '"""What a module says."""',
        "x = 'a sentence for people'",
        "_log.warning('x')",
        "x: Literal['a']",
        "@dataclass(frozen=True)\nclass A:\n    pass",
        "def f():\n    return None",
    ],
)
def test_what_no_test_should_hold_is_left_alone(source):
    assert changes(source) == []


def test_each_mutant_is_the_module_with_that_change_only():
    first, second = mutants("module.py", "x = a == b\ny = a == b\n")

    assert (first.line, first.source) == (1, "x = a != b\ny = a == b")
    assert (second.line, second.source) == (2, "x = a == b\ny = a != b")


@pytest.mark.parametrize("path", [*subjects.SOURCES, *subjects.TESTS])
def test_every_subject_is_there(path):
    assert (ROOT / path).exists()


def test_mutants_are_caught_by_the_tests_of_their_lines():
    outcome = PARTS["mutants"]("brief")

    figures = dict(outcome.figures)
    assert figures["mutants"] == 2
    assert figures["% caught"] >= 50
