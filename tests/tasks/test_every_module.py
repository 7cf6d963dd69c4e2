"""A module that no test needs, a program of its own for example, breaks as any other may."""

from importlib import import_module

from tests.helpers.parts import library
from tests.helpers.processes import ROOT

# What needs a library that not every machine has, and the lock that lists it.
_LIBRARIES = {"tests.pages.__main__": ("PIL", "browser")}
# ./run lint loads it, with the library that it is for.
_OF_LINT = {"tools.import_contracts"}


def test_every_module_can_be_imported(subtests):
    for file in (*(ROOT / "tests").rglob("*.py"), *(ROOT / "tools").rglob("*.py")):
        path = file.relative_to(ROOT).with_suffix("")
        name = ".".join(path.parts).removesuffix(".__init__")
        # Packages of npm may bring Python files of their own.
        if name not in _OF_LINT and "node_modules" not in path.parts:
            with subtests.test(name):
                if name in _LIBRARIES:
                    library(*_LIBRARIES[name])
                import_module(name)
