"""Which test shows what: markers that name ids, read from the sources of all tests.

The sources are parsed rather than collected by pytest, so that the answer is the same when only a
part of the tests is run, or a machine lacks what some of them need.
"""

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

_TESTS = Path(__file__).parents[1]
# What is not run, or may fail, proves nothing.
_WITHOUT_WEIGHT = {"skip", "xfail"}


@cache
def tests_by_id(marker):
    """Return the tests of each id that a marker of this name names, as ``path::function``."""
    found = defaultdict(list)
    for path in _sources("test_*.py"):
        place = path.relative_to(_TESTS.parent).as_posix()
        for function in ast.parse(path.read_text("utf-8")).body:
            if isinstance(function, ast.FunctionDef) and function.name.startswith("test_"):
                for id_ in _ids(function, marker):
                    found[id_].append(f"{place}::{function.name}")
    return dict(found)


def misplaced(marker):
    """Return the places of such markers that stand on anything but a function that pytest runs."""
    places = []
    for path in _sources("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        good = {
            id(decorator)
            for function in tree.body
            if isinstance(function, ast.FunctionDef) and function.name.startswith("test_")
            for decorator in function.decorator_list
            if path.name.startswith("test_")
        }
        places += [
            f"{path.relative_to(_TESTS.parent).as_posix()}:{node.lineno}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and _marker(node) == marker and id(node) not in good
        ]
    return places


def _sources(pattern):
    # Packages of npm may bring Python files of their own.
    return [path for path in sorted(_TESTS.rglob(pattern)) if "node_modules" not in path.parts]


def _ids(function, marker):
    if _WITHOUT_WEIGHT & {_marker(decorator) for decorator in function.decorator_list}:
        return
    for decorator in function.decorator_list:
        if _marker(decorator) == marker:
            yield from (ast.literal_eval(argument) for argument in decorator.args)


def _marker(node):
    """Return what a decorator of the form pytest.mark.NAME(...) is called."""
    named = node.func if isinstance(node, ast.Call) else node
    if isinstance(named, ast.Attribute) and ast.unparse(named.value) == "pytest.mark":
        return named.attr
    return None
