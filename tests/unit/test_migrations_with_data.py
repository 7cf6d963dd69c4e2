"""Each migration on a database in use, forward and back: whatever both sides know stays."""

from itertools import count, pairwise

import pytest
from sqlalchemy import MetaData, Text, insert, inspect

from authservice.database import schema

STEPS = list(pairwise(schema.revisions()))
# What the migrations note about themselves.
_OWN = {"alembic_version", "schema_compatibility"}


@pytest.fixture
def database(empty):
    return empty


def tables(database):
    """Return the tables as they are now, those that others refer to first."""
    found = MetaData()
    found.reflect(database.writer, only=lambda name, _: name not in _OWN)
    return found.sorted_tables


def fill(database):
    """Store two rows in every table, with a value in every column."""
    numbers = count(1)
    for table in tables(database):
        for row in range(2):
            values = {}
            for column in table.columns:
                if column.foreign_keys:
                    (key,) = column.foreign_keys
                    value = f"{key.column.table.name}.{key.column.name} {row}"
                elif isinstance(column.type, Text):
                    value = f"{table.name}.{column.name} {row}"
                else:
                    value = next(numbers)
                values[column.name] = value
            with database.transaction() as connection:
                connection.execute(insert(table), values)


def content(database):
    """Return every row of every table."""
    # Not reflected, which takes as long as a migration.
    names = set(inspect(database.writer).get_table_names()) - _OWN
    return {
        name: [
            dict(row)
            for row in database.reader.exec_driver_sql(f'SELECT * FROM "{name}"').mappings()
        ]
        for name in names
    }


def in_common(before, after):
    """Return what is left of rows when only what another content has too is looked at."""
    return {
        name: [{column: row[column] for column in rows[0] if column in row} for row in before[name]]
        for name, rows in after.items()
        if name in before
    }


pytestmark = pytest.mark.filterwarnings(
    # The one index on expressions is nothing that a row depends on.
    "ignore:Skipped unsupported reflection:sqlalchemy.exc.SAWarning"
)


@pytest.mark.parametrize(("older", "newer"), STEPS)
def test_going_forward_and_back_again_changes_no_row(database, older, newer):
    schema.migrate(database, older)
    fill(database)
    before = content(database)

    schema.migrate(database, newer)
    forward = content(database)
    schema.migrate(database, older)

    assert in_common(forward, before) == in_common(before, forward)
    for name, rows in forward.items():
        for row, former in zip(rows, before.get(name, []), strict=name in before):
            added = set(row) - set(former)
            assert {row[column] for column in added} <= {None}
    assert content(database) == before


@pytest.mark.parametrize(("older", "newer"), STEPS)
def test_going_back_and_forward_again_keeps_what_both_know(database, older, newer):
    schema.migrate(database, newer)
    fill(database)
    before = content(database)

    schema.migrate(database, older)
    back = content(database)
    schema.migrate(database, newer)

    assert in_common(before, back) == in_common(back, before)
    again = content(database)
    assert in_common(again, back) == in_common(back, again)
    assert set(again) == set(before)


def test_all_the_way_and_back(database):
    first, *_, last = schema.revisions()
    schema.migrate(database, first)
    fill(database)
    before = content(database)

    schema.migrate(database, last)
    forward = content(database)
    assert in_common(forward, before) == in_common(before, forward)
    assert set(content(database)) > set(before)
    schema.migrate(database, first)

    assert content(database) == before
