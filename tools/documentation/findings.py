"""The page of findings, made from the kinds of trouble that the code describes."""

from collections.abc import Iterable
from typing import Any

from authservice.diagnosis import after, before, closed_application
from authservice.diagnosis.finding import Subject
from tools.documentation.tables import code, table

_INTRODUCTION = """\
# Findings

Look up a finding here, and you know its cause and its remedy. `authservice check` looks for \
problems before a deployment, `authservice verify` after it. Their exit status is 1 after an \
error, with `--strict` also after a warning, and 2 if they cannot read their arguments.

With `--json` they print one object: `passed`, the numbers of `errors` and `warnings`, and the \
list `findings`. Each finding has `id`, `severity`, `cause` and `remedy`. Where they apply, it has \
`about`, which names a setting, a file or an address, `found` and `expected`. A subject without \
problems is `ok` under its own name, and `skipped` if it could not be examined. No finding shows a \
secret.
"""


def page() -> str:
    """Return the page."""
    commands = {
        "check": before.SUBJECTS,
        "verify": after.SUBJECTS,
        "verify --forward": closed_application.SUBJECTS,
    }
    sections = [
        "\n".join([f"## authservice {command}\n", table(*_rows(subjects))])
        for command, subjects in commands.items()
    ]
    return "\n".join([_INTRODUCTION, *sections])


def _rows(subjects: Iterable[Subject[Any]]) -> list[list[str]]:
    rows = [["Finding", "Severity", "Cause", "Remedy"]]
    rows += [
        [code(kind.id), str(kind.severity), kind.cause, kind.remedy]
        for subject in subjects
        for kind in subject.kinds
    ]
    return rows
