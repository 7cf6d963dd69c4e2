"""What contributing says of the places in the code is true, and no folder is a heap."""

import re
from collections import Counter

import pytest

from tests.helpers.processes import ROOT

PACKAGE = ROOT / "authservice"
TOOLS = ROOT / "tools"
CONTRIBUTING = (ROOT / "docs" / "contributing.md").read_text(encoding="utf-8")
_TABLE = CONTRIBUTING.partition("## Where a change goes")[2].partition("The paths are")[0]
_PATH = re.compile(r"`([\w/]+(?:/|\.py|\.yaml))`")
MODULES = [path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py")]


def test_every_place_is_there():
    places = _PATH.findall(_TABLE)

    assert len(places) > 30
    for place in places:
        assert (PACKAGE / place).exists() or (ROOT / place).exists(), place


def test_every_folder_and_loose_module_is_a_place():
    # Serving is in the drawing alone: no request knows of it.
    there = {f"{path.parts[0]}{'' if len(path.parts) == 1 else '/'}" for path in MODULES}

    missing = {each for each in there if f"`{each}" not in _TABLE}
    assert missing <= {"__init__.py", "serving/"}


@pytest.mark.parametrize("package", [PACKAGE, TOOLS], ids=lambda package: package.name)
def test_no_folder_has_more_than_sixteen_modules(package):
    sizes = Counter(path.parent for path in package.rglob("*.py") if path.name != "__init__.py")

    assert len(sizes) > 10
    assert {folder: size for folder, size in sizes.items() if size > 16} == {}


def test_few_modules_are_loose():
    assert len({*PACKAGE.glob("*.py")} - {PACKAGE / "__init__.py"}) <= 6


def test_every_tool_is_named():
    named = set(re.findall(r"`tools/(\w+)/`", CONTRIBUTING))

    assert named == {path.parent.name for path in TOOLS.glob("*/__init__.py")}
