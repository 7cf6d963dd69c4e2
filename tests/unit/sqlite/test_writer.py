"""One connection writes to SQLite, threads wait for it, and nobody is told too early."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from sqlalchemy import text
from sqlalchemy.exc import (
    IntegrityError,
    OperationalError,
    TimeoutError,  # noqa: A004  (what a full pool raises, too)
)

from authservice.database.database import Database
from authservice.database.sqlite import engines

pytestmark = pytest.mark.engines("sqlite")

INSERT = text("INSERT INTO written VALUES (:value)")
# SQLite itself rolls the whole transaction back, as it may when the disk is full.
ROLLED_BACK_BY_SQLITE = text("INSERT OR ROLLBACK INTO written VALUES ('known')")


@pytest.fixture
def database(tmp_path):
    opened = Database(f"sqlite:///{tmp_path}/test.sqlite")
    with opened.transaction() as connection:
        connection.execute(text("CREATE TABLE written (value TEXT PRIMARY KEY)"))
        connection.execute(text("INSERT INTO written VALUES ('known')"))
    yield opened
    opened.dispose()


def write(database, value, *, fails=False):
    with database.transaction() as connection:
        connection.execute(INSERT, {"value": value})
        if fails:
            raise ZeroDivisionError


def written(database):
    return set(database.reader.scalars(text("SELECT value FROM written WHERE value <> 'known'")))


def test_who_waits_for_too_long_is_told_so(database, tmp_path, monkeypatch):
    monkeypatch.setattr(engines, "PATIENCE_SECONDS", 0.01)
    impatient = Database(f"sqlite:///{tmp_path}/test.sqlite")
    with ThreadPoolExecutor(1) as thread, impatient.transaction() as connection:
        connection.execute(INSERT, {"value": "first"})
        other = thread.submit(write, impatient, "other")
        with pytest.raises(TimeoutError):
            other.result()

    write(impatient, "next")
    impatient.dispose()
    assert written(database) == {"first", "next"}


def test_what_sqlite_took_back_is_not_told_to_be_committed(database):
    def write_undisturbed():
        with database.transaction() as connection:
            connection.execute(INSERT, {"value": "lost"})
            with suppress(IntegrityError):
                connection.execute(ROLLED_BACK_BY_SQLITE)

    with pytest.raises(OperationalError, match="rolled the transaction back"):
        write_undisturbed()

    assert written(database) == set()
    write(database, "next")
    assert written(database) == {"next"}


def test_another_connection_writes_after_one_that_was_given_up(database):
    def break_off():
        with database.transaction() as connection:
            connection.execute(INSERT, {"value": "gone"})
            # As SQLAlchemy does where a file may suddenly only be read.
            connection.invalidate()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        break_off()

    write(database, "next")
    assert written(database) == {"next"}


def test_its_connection_is_closed_with_the_database(database):
    with database.transaction() as connection:
        driver = connection.connection.dbapi_connection
    assert driver.total_changes

    database.dispose()

    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        driver.execute("SELECT 1")


def test_under_load_everybody_is_told_the_truth(database, monkeypatch, tmp_path):
    """Threads of two databases on one file, as processes are, each often given up."""
    monkeypatch.setattr(engines, "PATIENCE_SECONDS", 0.01)
    both = [Database(str(database.url), synchronous="OFF") for _ in range(2)]

    def write_often(name, opened):
        kept = set()
        for number in range(60):
            value = f"{name} {number}"
            try:
                write(opened, value, fails=number % 3 == 0)
            except (ZeroDivisionError, TimeoutError, OperationalError):
                continue
            kept.add(value)
            assert value in written(opened)
        return kept

    with ThreadPoolExecutor(16) as threads:
        told = [threads.submit(write_often, str(number), both[number % 2]) for number in range(16)]
        kept = set().union(*(one.result() for one in told))
    for opened in both:
        opened.dispose()
    assert len(kept) > 60
    assert written(database) == kept
