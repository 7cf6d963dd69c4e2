"""Another commit of the service, in a folder of its own with an environment of its own."""

import subprocess
import sys
from pathlib import Path

from tools.bench.service.checkouts import ROOT, Checkout, git, here

_LOCKED = ("requirements/dev.txt", "setup.py")


class UnknownRevisionError(Exception):
    """There is no such commit."""


def check_out(revision: str, folder: Path) -> Checkout:
    """Return the commit's files in an empty folder, with what runs them.

    This environment does as long as setup.py and locks are the same; otherwise a new one is made
    from the locks of that commit. Raises UnknownRevisionError.
    """
    commit = git("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}", check=False)
    if not commit:
        raise UnknownRevisionError(f"there is no commit {revision!r}")
    extract(commit, folder)
    short = git("rev-parse", "--short", commit)
    if all(_same(folder, name) for name in _LOCKED):
        return Checkout(short, folder, here().programs)
    sys.stderr.write(f"making an environment for {short}, whose locks are others\n")
    return Checkout(short, folder, _environment(folder))


def extract(commit: str, folder: Path) -> None:
    """Put a commit's files into a folder."""
    folder.mkdir(exist_ok=True)
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True)
    subprocess.run(["tar", "-xC", folder], input=archive.stdout, check=True)


def _same(folder: Path, name: str) -> bool:
    return (folder / name).read_bytes() == (ROOT / name).read_bytes()


def _environment(folder: Path) -> Path:
    """Make a virtual environment as the commit's locks say, and return its programs' folder."""
    environment = folder / ".venv"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    programs = environment / "bin"
    pip = (programs / "pip", "--disable-pip-version-check", "--quiet", "install", "--no-deps")
    locked = ("--require-hashes", "--only-binary", ":all:", "-r", folder / _LOCKED[0])
    subprocess.run([*pip, *locked], check=True)
    subprocess.run([*pip, "--no-build-isolation", "--no-index", "-e", folder], check=True)
    return programs
