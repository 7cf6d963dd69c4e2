"""A file that may not be written to for a while: the process goes on by itself."""

import shutil

import pytest
from sqlalchemy import insert, select
from sqlalchemy.exc import OperationalError

from authservice import clock
from authservice.database.database import Database, insert_or_ignore
from authservice.models import verification
from tests.helpers.other_user import without_privileges


def row(row_id):
    now = clock.now()
    return {"id": row_id, "identifier": "x", "value": "v", "expires_at": now, "created_at": now}


@pytest.fixture
def file(migrated_template, tmp_path):
    """A file of a user for whom its mode counts, and that another process has open."""
    copied = tmp_path / "test.sqlite"
    shutil.copy(migrated_template, copied)
    with without_privileges():
        other = Database(f"sqlite:///{copied}")
        # An empty log would be given the mode that the file has then.
        with other.transaction() as connection:
            connection.execute(insert(verification), row("another"))
        yield copied
        other.dispose()


@pytest.fixture
def database(file):
    opened = Database(f"sqlite:///{file}")
    yield opened
    opened.dispose()


def by_sqlalchemy(connection, values):
    connection.execute(insert(verification), values)


def by_the_driver(connection, values):
    insert_or_ignore(connection, verification, values)


@pytest.mark.parametrize("write", [by_sqlalchemy, by_the_driver])
def test_what_was_opened_meanwhile_writes_as_soon_as_the_file_allows_it(database, file, write):
    def add():
        with database.transaction() as connection:
            write(connection, row("a"))

    def count():
        return len(database.reader.execute(select(verification)).all())

    file.chmod(0o400)
    for _ in range(2):
        with pytest.raises(OperationalError, match="readonly"):
            add()
        assert count() == 1

    file.chmod(0o600)
    add()
    assert count() == 2
