"""The signing keys as they were before a program changed them, or turned the clock that ages them.

They are saved in the database, encrypted as they were, so that a reset by any process finds them.
"""

from sqlalchemy import Connection, delete, text

from authservice.local_mode import stored_values
from authservice.models import jwks

_NAME = "keys"
_COLUMNS = tuple(jwks.c.keys())
# As they are stored: dates are numbers, which JSON has.
_SELECT = text(f"SELECT {', '.join(_COLUMNS)} FROM jwks ORDER BY id")  # noqa: S608  (names of ours)
_INSERT = text(
    f"INSERT INTO jwks ({', '.join(_COLUMNS)})"  # noqa: S608  (as above)
    f" VALUES ({', '.join(f':{name}' for name in _COLUMNS)})"
)


def save(connection: Connection) -> None:
    """Save the keys as they are, unless others were saved since the start or a reset."""
    if stored_values.read(connection, _NAME) is None:
        rows = [dict(row) for row in connection.execute(_SELECT).mappings()]
        # Another process may have saved them, and changed them, since.
        stored_values.keep(connection, _NAME, rows)


def restore(connection: Connection) -> None:
    """Let the keys be as they were saved, if they were."""
    rows = stored_values.read(connection, _NAME)
    if rows is not None:
        connection.execute(delete(jwks))
        connection.execute(_INSERT, rows)
