"""What is examined, and what is found: each thing with its cause, its remedy, and what stood where.

A subject is a function under ``@subject``; its kinds of trouble stand beside it, in its module.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from types import ModuleType
from typing import Any, Generic, TypeVar

_Examined = TypeVar("_Examined")


class Severity(StrEnum):
    """What a finding means for the deployment."""

    ERROR = "error"
    """It fails, or is not safe."""
    WARNING = "warning"
    """It works, with a risk or a cost."""
    SKIPPED = "skipped"
    """It could not be examined, or there is nothing to examine."""
    OK = "ok"
    """It is in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One result. ``about`` names a setting, a file or an address; no text holds a secret."""

    id: str
    severity: Severity
    cause: str
    remedy: str = ""
    about: str = ""
    found: str = ""
    expected: str = ""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of trouble, described once; ``id`` is its subject, a dot and a name."""

    id: str
    severity: Severity
    cause: str
    remedy: str

    def at(self, about: str = "", *, found: str = "", expected: str = "") -> Finding:
        """Return the finding that this trouble is here."""
        return Finding(
            id=self.id,
            severity=self.severity,
            cause=self.cause,
            remedy=self.remedy,
            about=about,
            found=found,
            expected=expected,
        )


def error(id: str, cause: str, remedy: str) -> Kind:  # noqa: A002  (it is called id where it is printed)
    """Return a kind of trouble with which the deployment fails or is not safe."""
    return Kind(id, Severity.ERROR, cause, remedy)


def warning(id: str, cause: str, remedy: str) -> Kind:  # noqa: A002  (as above)
    """Return a kind of trouble that the deployment survives."""
    return Kind(id, Severity.WARNING, cause, remedy)


@dataclass(frozen=True, slots=True)
class Subject(Generic[_Examined]):
    """What is examined as one thing, and the sentence that says that it is in order."""

    name: str
    order: int
    in_order: str
    examine: Callable[[_Examined], Iterator[Finding]]

    @property
    def kinds(self) -> list[Kind]:
        """Return what may be wrong with it, in the order in which its module describes that."""
        module = vars(sys.modules[self.examine.__module__])
        kinds = [value for value in module.values() if isinstance(value, Kind)]
        return [kind for kind in kinds if kind.id.partition(".")[0] == self.name]

    def findings(self, examined: _Examined) -> list[Finding]:
        """Return what is found; that it is in order, where that is nothing."""
        return list(self.examine(examined)) or [self.ok()]

    def ok(self, cause: str = "", *, about: str = "", found: str = "") -> Finding:
        """Return that it is in order, in its own words or in others."""
        severity, cause = Severity.OK, cause or self.in_order
        return Finding(id=self.name, severity=severity, cause=cause, about=about, found=found)

    def skipped(self, cause: str) -> Finding:
        """Return why it was not examined."""
        return Finding(id=self.name, severity=Severity.SKIPPED, cause=cause)


def subject(
    name: str, *, order: int, in_order: str
) -> Callable[[Callable[[_Examined], Iterator[Finding]]], Subject[_Examined]]:
    """Make a subject of a function that yields what is wrong; ``order`` is its place in the output.

    A subject comes after those that its own findings depend on.
    """
    return lambda examine: Subject(name, order, in_order, examine)


def subjects(*modules: ModuleType) -> list[Subject[Any]]:
    """Return the subjects of modules in their order."""
    members = [
        value for module in modules for value in vars(module).values() if isinstance(value, Subject)
    ]
    return sorted(members, key=lambda each: each.order)
