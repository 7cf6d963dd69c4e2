"""Mutation testing: what is changed, what is not, and which tests are to notice."""

import ast

import pytest

from bench.checkouts import ROOT
from prove.mutants import subjects
from prove.mutants.functions import changed
from prove.mutants.operators import mutants, mutated
from prove.mutants.reach import Reach


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
        "x = f'{a} is missing.'",
        "_log.warning('x')",
        "class A(B):\n    def __init__(self):\n        super().__init__('x')",
        "x: Literal['a']",
        "X = Literal['a']",
        "@dataclass(frozen=True)\nclass A:\n    pass",
        "def f():\n    return None",
    ],
)
def test_what_no_test_should_hold_is_left_alone(source):
    assert changes(source) == []


def test_each_mutant_is_the_module_with_that_change_only():
    source = "x = a == b\ny = a == b\n"
    first, second = mutants("module.py", source)

    assert (first.line, ast.unparse(mutated(source, first.number))) == (1, "x = a != b\ny = a == b")
    assert (second.line, ast.unparse(mutated(source, second.number))) == (
        2,
        "x = a == b\ny = a != b",
    )


@pytest.mark.parametrize(
    ("source", "number", "functions"),
    [
        ("def f():\n    return a == b\ndef g():\n    return 1", 0, ["f"]),
        ("class A:\n    def f(self):\n        return [x + 1 for x in y]", 1, ["A.f"]),
        ("x = a == b\ndef f():\n    return 1", 0, []),
        ("class A:\n    x = True\n    def f(self):\n        return 1", 0, []),
        ("def f(x=True):\n    return x", 0, []),
        ("class A(B):\n    def f(self):\n        super().f()", 0, []),
    ],
)
def test_the_functions_that_a_mutant_changes_are_known(source, number, functions):
    codes = changed(source, mutated(source, number))

    assert [old.co_qualname for old in codes] == functions


def test_a_mutant_has_unit_tests_first_and_those_most_about_its_file():
    (mutant,) = mutants("m.py", "\n\nx = a == b")
    reach = Reach(
        {
            "tests/a.py::t[1]": {"m.py": [3]},
            "tests/a.py::t[2]": {"m.py": [3]},
            "tests/a.py::u": {"m.py": [3], "n.py": [1]},
            "tests/unit/b.py::t": {"m.py": [3], "n.py": [1, 2]},
            "tests/b.py::not_there": {"m.py": [1]},
        }
    )

    assert reach.tests_of(mutant) == [
        "tests/unit/b.py::t",
        "tests/a.py::t[1]",
        "tests/a.py::u",
        "tests/a.py::t[2]",
    ]


def test_what_is_read_on_import_has_the_tests_of_those_who_read_it():
    source = "a = 1\nb = [a]\ndef f():\n    return b\ndef g():\n    return 2"
    first, *_ = mutants("m.py", source)
    reach = Reach({"tests/a.py::f": {"m.py": [4]}, "tests/a.py::g": {"m.py": [6]}})

    assert (first.change, reach.tests_of(first)) == ("1 -> 2", ["tests/a.py::f"])


def test_what_nobody_reads_has_all_tests_of_its_file():
    (mutant,) = mutants("m.py", "x = a == b")

    assert Reach({"tests/a.py::t": {"m.py": [9]}}).tests_of(mutant) == ["tests/a.py::t"]


@pytest.mark.parametrize("path", [*subjects.SOURCES, *subjects.TESTS])
def test_every_subject_is_there(path):
    assert (ROOT / path).exists()
