"""Mutation testing: what is changed, what is not, and which tests are to notice."""

import ast

from tools.bench.service.checkouts import ROOT
from tools.prove.mutants import subjects
from tools.prove.mutants.functions import changed
from tools.prove.mutants.operators import mutants, mutated
from tools.prove.mutants.reach import Reach
from tools.prove.mutants.wording import Wording, wording_of


def changes(source):
    return [mutant.change for mutant in mutants("module.py", source)]


def test_one_thing_is_changed_in_each(subtests):
    for source, expected in (
        ("a < b", ["a < b -> nothing", "a < b -> a >= b"]),
        ("x = a and b", ["a and b -> a or b"]),
        ("x = not a", ["not a -> a"]),
        ("x = a + 1", ["a + 1 -> a - 1", "1 -> 2"]),
        ("x = True", ["True -> False"]),
        ("x = 'name'", ["'name' -> 'nameX'"]),
        ("def f():\n    return a", ["return a -> return None"]),
        ("def f():\n    raise E", ["raise E -> nothing"]),
    ):
        with subtests.test(source=source, expected=expected):
            assert changes(source) == expected


def test_what_no_test_should_hold_is_left_alone(subtests):
    for source in (
        '"""What a module says."""',
        "x = 'a sentence for people'",
        "x = f'{a} is missing.'",
        "_log.warning('x')",
        "class A(B):\n    def __init__(self):\n        super().__init__('x')",
        "x: Literal['a']",
        "X = Literal['a']",
        "@dataclass(frozen=True)\nclass A:\n    pass",
        "def f():\n    return None",
    ):
        with subtests.test(source=source):
            assert changes(source) == []


def test_each_mutant_is_the_module_with_that_change_only():
    source = "x = a == b\ny = a == b\n"
    first, second = mutants("module.py", source)

    assert (first.line, ast.unparse(mutated(source, first.number))) == (1, "x = a != b\ny = a == b")
    assert (second.line, ast.unparse(mutated(source, second.number))) == (
        2,
        "x = a == b\ny = a != b",
    )


def test_the_functions_that_a_mutant_changes_are_known(subtests):
    for source, number, functions in (
        ("def f():\n    return a == b\ndef g():\n    return 1", 0, ["f"]),
        ("class A:\n    def f(self):\n        return x + 1", 1, ["A.f"]),
        ("def f():\n    def g():\n        return a == b\n    return g", 1, ["f", "f.<locals>.g"]),
        ("x = a == b\ndef f():\n    return 1", 0, []),
        ("class A:\n    x = True\n    def f(self):\n        return 1", 0, []),
        ("def f(x=True):\n    return x", 0, []),
        ("class A(B):\n    def f(self):\n        super().f()", 0, []),
    ):
        with subtests.test(source=source, number=number, functions=functions):
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
        },
        Wording({}),
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
    reach = Reach({"tests/a.py::f": {"m.py": [4]}, "tests/a.py::g": {"m.py": [6]}}, Wording({}))

    assert (first.change, reach.tests_of(first)) == ("1 -> 2", ["tests/a.py::f"])


def test_what_nobody_reads_has_all_tests_of_its_file():
    (mutant,) = mutants("m.py", "x = a == b")

    reach = Reach({"tests/a.py::t": {"m.py": [9]}}, Wording({}))

    assert reach.tests_of(mutant) == ["tests/a.py::t"]


def test_who_names_what_is_changed_comes_first():
    (mutant,) = mutants("m.py", "x = 'prompt'")
    lines = {f"tests/a.py::{name}": {"m.py": [1]} for name in "abc"}
    wording = Wording(dict.fromkeys(lines, "def f(): pass") | {"tests/a.py::c": "f(prompt=1)"})

    assert Reach(lines, wording).tests_of(mutant)[0] == "tests/a.py::c"


def test_a_test_is_known_by_its_own_source_and_parameters():
    file = "tests/prove/test_mutants.py"
    given, read = f"{file}::test_one[max_age]", f"{file}::{SELF}"

    named = wording_of([given, read]).naming("max_age == given")

    assert named == {given: 0.5, read: 1.5}


SELF = "test_a_test_is_known_by_its_own_source_and_parameters"


def test_every_subject_is_there(subtests):
    for path in (*subjects.SOURCES, *subjects.TESTS):
        with subtests.test(path=path):
            assert (ROOT / path).exists()
