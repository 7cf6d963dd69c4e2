"""What an examination finds: each thing with its cause, its remedy, and what stood where."""

from dataclasses import dataclass
from enum import StrEnum


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


def ok(subject: str, cause: str, *, about: str = "", found: str = "") -> Finding:
    """Return that a subject is in order."""
    return Finding(id=subject, severity=Severity.OK, cause=cause, about=about, found=found)


def skipped(subject: str, cause: str) -> Finding:
    """Return why a subject was not examined."""
    return Finding(id=subject, severity=Severity.SKIPPED, cause=cause)
