"""What all processes on one database have to agree on: named values in the database itself.

Rows of ``verification`` hold them, since the table is made for named values of any kind: local
mode needs no migration of its own, which production would have to run too. They expire when the
last clock stops, so no clean-up deletes them. ``local_mark.keep`` says what else spares them.
"""

import json
from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, bindparam, delete, select, update

from authservice import clock
from authservice.database.prepared import Prepared
from authservice.models import verification
from authservice.services.tokens import verifications
from authservice.services.upkeep import local_mark

_PREFIX = "local-mode:"
# Found by an index: the table also holds what each sign-in leaves behind.
_OF_KIND = Prepared(
    select(verification.c.id, verification.c.value)
    .where(verification.c.identifier == bindparam("identifier"))
    .order_by(verification.c.id)
)


def read(connection: Connection, name: str) -> Any:
    """Return the value of a name, or None if there is none."""
    row = verifications.peek(connection, _row_id(name, None))
    return None if row is None else json.loads(row.value)


def write(connection: Connection, name: str, value: object, *, kind: str | None = None) -> None:
    """Give a name a value, which every JSON value but null may be.

    Those of a kind are read together.
    """
    text = json.dumps(value)
    row_id = _row_id(name, kind)
    changed = (
        update(verification)
        .where(verification.c.id == row_id)
        .values(value=text, updated_at=clock.now())
    )
    identifier = row_id if kind is None else _row_id("", kind)
    if not connection.execute(changed).rowcount and not local_mark.keep(
        connection, row_id, text, identifier
    ):
        connection.execute(changed)


def keep(connection: Connection, name: str, value: object) -> None:
    """Give a name a value unless it has one; of several at once the first one's stays."""
    local_mark.keep(connection, _row_id(name, None), json.dumps(value))


def forget(connection: Connection, name: str, *, kind: str | None = None) -> None:
    """Forget the value of a name."""
    connection.execute(delete(verification).where(verification.c.id == _row_id(name, kind)))


def of_kind(connection: Connection, kind: str) -> Iterator[tuple[str, Any]]:
    """Yield the names of a kind and their values, in the order of the names."""
    begins = _row_id("", kind)
    for row_id, value in _OF_KIND.all(connection, {"identifier": begins}):
        yield row_id.removeprefix(begins), json.loads(value)


def _row_id(name: str, kind: str | None) -> str:
    return f"{_PREFIX}{name}" if kind is None else f"{_PREFIX}{kind}:{name}"
