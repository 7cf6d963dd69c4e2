"""Databases from before the first release: the last of them is taken over, older ones are refused.

Their revisions are 0001 to 0016. 1.0.0 has migrations of its own, which begin at 1001.
"""

from sqlalchemy import Connection, text

_LAST = "0016"
# The last commit whose tables are at that revision.
_COMMIT = "1121f12"
TAKEN_OVER = "1002"
"""The revision that the tables of the last of them are at afterwards."""


class UnreleasedSchemaError(Exception):
    """The tables are older than those that can be taken over; the text says what to do."""


def is_unreleased(revision: str) -> bool:
    """Tell whether a revision is one from before the first release."""
    return revision.isdigit() and revision <= _LAST


def take_over(connection: Connection, revision: str) -> None:
    """Make the tables those of the first release; raises UnreleasedSchemaError."""
    if revision != _LAST:
        raise UnreleasedSchemaError(
            f"the database is at revision {revision}, from before the first release; migrate it"
            f" with the commit {_COMMIT} of the repository, which brings it to {_LAST}, then with"
            " this version"
        )
    # Imported here: it takes 0.1 s, and few databases need it.
    from alembic.migration import MigrationContext  # noqa: PLC0415
    from alembic.operations import Operations  # noqa: PLC0415

    connection.execute(text("DROP TABLE oauth_former_refresh_token"))
    operations = Operations(MigrationContext.configure(connection))
    with operations.batch_alter_table("oauth_refresh_token") as table:
        table.alter_column("user_id", nullable=True)
    for change in (
        "UPDATE alembic_version SET version_num = :now",
        "UPDATE schema_compatibility SET revision = :now, works_since = :now",
    ):
        connection.execute(text(change), {"now": TAKEN_OVER})
