"""The file of persons: TOML with a table ``[person.ID]`` for each."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from authservice.local_mode.control.fields import ControlError
from authservice.local_mode.persons.person import Person, person


def persons_of(file: str | None) -> dict[str, Person]:
    """Return the persons of a file by id, in its order; raises SystemExit with all that is wrong.

    Without a file there are none.
    """
    if file is None:
        return {}
    try:
        content = tomllib.loads(Path(file).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SystemExit(f"authservice: local.persons: {file} cannot be read: {error}") from None
    problems: list[str] = []
    described = dict(_persons(content, problems))
    if problems:
        raise SystemExit(f"authservice: local.persons: {file}: {'; '.join(problems)}")
    return described


def _persons(content: dict[str, Any], problems: list[str]) -> Iterator[tuple[str, Person]]:
    tables = content.pop("person", {})
    problems.extend(f"{name}: write tables [person.ID]" for name in content)
    if not isinstance(tables, dict):
        tables = {"person": tables}
    for person_id, table in tables.items():
        if not isinstance(table, dict):
            problems.append(f"{person_id}: write a table [person.{person_id}]")
            continue
        try:
            yield person_id, person(person_id, table)
        except ControlError as error:
            allowed = f" ({', '.join(error.allowed)})" if error.allowed else ""
            problems.append(f"[person.{person_id}] {error.field}: {error.error}{allowed}")
