"""A checkout of the service, and the virtual environment that runs it."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[3]
_OURS = ("AUTH_", "PROVIDER_", "BRANDING_")


@dataclass(frozen=True, slots=True)
class Checkout:
    """Where the code is, and the folder with the programs of its environment."""

    revision: str
    folder: Path
    programs: Path

    def program(self, name: str) -> Path:
        """Return a console script."""
        return self.programs / name

    def environment(self) -> dict[str, str]:
        """Return the environment for its processes, in which nothing configures a service."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
        # The checkout's own code comes before what is installed in the environment.
        return kept | {"PYTHONPATH": str(self.folder)}


def here() -> Checkout:
    """Return this checkout; its revision says whether files differ from the commit."""
    try:
        revision = git("describe", "--always", "--dirty", "--exclude=*", check=False)
    except FileNotFoundError:
        revision = ""
    return Checkout(revision or "unknown", ROOT, Path(sys.executable).parent)


def git(*arguments: str, check: bool = True) -> str:
    """Return what git says of this checkout; raises CalledProcessError unless told otherwise."""
    return subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=check
    ).stdout.strip()
