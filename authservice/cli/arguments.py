"""How commands read their arguments, print counts, and fail: in one line that says what to do."""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from authservice.settings.version import __version__


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line, without the usage."""

    def add_version(self) -> None:
        """Declare the flag that prints the version of the service and ends the command."""
        self.add_argument(
            "--version",
            action="version",
            version=f"authservice {__version__}",
            help="print the version",
        )

    def error(self, message: str) -> NoReturn:
        """End the command with status 2."""
        self.exit(2, f"{self.prog}: {message}\n")


class Once(argparse.Action):
    """An argument that may be given once; argparse would let the last one win."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Store the value, or refuse a second one."""
        seen = namespace.__dict__.setdefault("_seen", set())
        if self.dest in seen:
            parser.error(f"{option_string} is given twice")
        seen.add(self.dest)
        setattr(namespace, self.dest, True if self.nargs == 0 else values)


class Switch(Once):
    """A switch that may be given once. It has no value; without it the argument is False."""

    def __init__(self, option_strings: Sequence[str], dest: str, **options: Any) -> None:  # noqa: ANN401

        super().__init__(option_strings, dest, nargs=0, default=False, **options)


def print_counts(counts: Mapping[str, int], *, as_json: bool) -> None:
    """Print how many rows of each kind a command changed."""
    if as_json:
        print(json.dumps(counts))
        return
    for kind, number in counts.items():
        print(f"{kind.replace('_', ' ')}: {number}")


def misused(message: str) -> NoReturn:
    """End the command with status 2 and one line on standard error: it was not typed right."""
    sys.stderr.write(f"{_program()}: {message}\n")
    raise SystemExit(2)


def fail(message: str) -> NoReturn:
    """End the command with status 1 and one line on standard error."""
    raise SystemExit(f"{_program()}: {message}")


def _program() -> str:
    """Return the name that the command was started by, as ``Parser`` says it."""
    name = Path(sys.argv[0]).name
    return name if name == "authservice-register" else "authservice"
