"""A database that refuses to change one table, as if the disk were full."""

from sqlalchemy import text

_SQLITE = [
    "CREATE TRIGGER refuse BEFORE {} ON {} BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
]
_POSTGRESQL = [
    """CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$BEGIN RAISE 'the disk is full' USING ERRCODE = 'disk_full'; END$$""",
    "CREATE TRIGGER refuse BEFORE {} ON {} EXECUTE FUNCTION refuse()",
]


def refuse(database, change, table):
    """Refuse each INSERT, UPDATE or DELETE of a table from now on."""
    statements = _SQLITE if database.is_sqlite else _POSTGRESQL
    with database.transaction() as connection:
        for statement in statements:
            connection.execute(text(statement.format(change, table)))


def allow(database, table):
    """Let the table be changed again."""
    with database.transaction() as connection:
        of_table = "" if database.is_sqlite else f" ON {table}"
        connection.execute(text(f"DROP TRIGGER refuse{of_table}"))
