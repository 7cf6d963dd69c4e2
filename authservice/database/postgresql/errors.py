"""PostgreSQL's errors without their details, which quote the values of rows.

Imported only where there is a PostgreSQL: its driver is an extra.
"""

from typing import Any, Self

from psycopg import Cursor, Error


class ReticentCursor(Cursor[Any]):
    """Raises errors that say what went wrong, and not with which values: they go to the log."""

    def execute(self, *arguments: Any, **options: Any) -> Self:  # noqa: ANN401  (as its base)
        """Run a statement."""
        try:
            return super().execute(*arguments, **options)
        except Error as error:
            if error.diag.message_primary is not None:
                error.args = (error.diag.message_primary,)
            raise
