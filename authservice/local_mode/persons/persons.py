"""Who can sign in: the local developer, those of the file, and those whom a program has put.

What a program changes is stored in the database, so every process on it knows of it.
"""

from collections.abc import Mapping

from sqlalchemy import Connection

from authservice.identity_provider import LOCAL_DEVELOPER
from authservice.local_mode import stored_values
from authservice.local_mode.persons.person import Person, person

_KIND = "person"
# Instead of a person whom a program has deleted and who is in the file.
_DELETED = False


class Persons:
    """All persons of a database; ``of_file`` are those whom every reset brings back."""

    def __init__(self, developer: Person, of_file: Mapping[str, Person]) -> None:
        # A file may describe the local developer too, who stays the first.
        self.at_start: Mapping[str, Person] = {LOCAL_DEVELOPER: developer} | dict(of_file)

    def everyone(self, connection: Connection) -> dict[str, Person]:
        """Return all persons by id, the local developer first."""
        everyone = dict(self.at_start)
        for person_id, content in stored_values.of_kind(connection, _KIND):
            if content is _DELETED:
                everyone.pop(person_id, None)
            else:
                everyone[person_id] = person(person_id, content)
        return everyone

    def put(self, connection: Connection, described: Person) -> None:
        """Add a person, or describe one differently from now on."""
        content = described.content()
        del content["id"]
        stored_values.write(connection, described.id, content, kind=_KIND)

    def remove(self, connection: Connection, person_id: str) -> None:
        """Remove a person, for all processes."""
        if person_id in self.at_start:
            stored_values.write(connection, person_id, _DELETED, kind=_KIND)
        else:
            stored_values.forget(connection, person_id, kind=_KIND)
