"""Committed pages reach the database file without a commit that waits for it."""

import sqlite3
import threading
from contextlib import closing

import pytest
from sqlalchemy import text

from authservice.database.database import Database
from authservice.database.sqlite import write_ahead_log
from tests.helpers.waiting import until

pytestmark = pytest.mark.engines("sqlite")

TRANSACTIONS = 5
# Far more than SQLite's own thousand pages of 4 kB, and less than what a commit moves itself.
MUCH = 6_000_000


@pytest.fixture
def file(tmp_path):
    return tmp_path / "test.sqlite"


@pytest.fixture
def database(file):
    opened = Database(f"sqlite:///{file}", synchronous="OFF")
    yield opened
    opened.dispose()


@pytest.fixture
def moving(monkeypatch):
    """Give how many transactions lie between two checkpoints."""
    monkeypatch.setattr(write_ahead_log, "_TRANSACTIONS", TRANSACTIONS)


def write(database, size=1):
    with database.transaction() as connection:
        connection.execute(text("CREATE TABLE IF NOT EXISTS written (value BLOB)"))
        connection.execute(text("INSERT INTO written VALUES (zeroblob(:size))"), {"size": size})


def rows_in(file):
    """Return how many rows the file holds, whatever is in its log."""
    with closing(sqlite3.connect(f"{file.as_uri()}?immutable=1", uri=True)) as connection:
        try:
            return connection.execute("SELECT count(*) FROM written").fetchone()[0]
        except sqlite3.DatabaseError:
            # There is no table yet, or pages are being moved at this very moment.
            return 0


def thread_of(database):
    return database._checkpoints._thread


def test_a_commit_leaves_its_pages_in_the_log_however_many_they_are(database, file):
    write(database, MUCH)
    write(database)

    assert rows_in(file) == 0


def test_after_so_many_transactions_another_thread_moves_them(database, file, moving):
    for _ in range(TRANSACTIONS - 1):
        write(database)
    assert rows_in(file) == 0
    assert thread_of(database) is None

    write(database)

    until(lambda: rows_in(file) == TRANSACTIONS)
    assert thread_of(database) is not threading.current_thread()


def test_it_goes_on_with_one_thread(database, file, moving):
    used = set()
    for times in range(1, 4):
        for _ in range(TRANSACTIONS):
            write(database)
        until(lambda times=times: rows_in(file) == times * TRANSACTIONS)
        used.add(thread_of(database))

    assert len(used) == 1


def test_a_checkpoint_that_fails_is_said_and_the_next_one_is_made(
    database, file, moving, monkeypatch, caplog
):
    with monkeypatch.context() as failing:
        failing.setattr(database._checkpoints._log, "_database_file", "/nowhere/test.sqlite")
        for _ in range(TRANSACTIONS):
            write(database)
        until(lambda: "a checkpoint failed, and is tried again" in caplog.text)

    for _ in range(TRANSACTIONS):
        write(database)

    until(lambda: rows_in(file) == 2 * TRANSACTIONS)


def test_it_ends_with_the_database(database, moving):
    for _ in range(TRANSACTIONS):
        write(database)
    thread = thread_of(database)
    assert thread.is_alive()

    database.dispose()

    assert not thread.is_alive()


def test_who_asks_for_it_has_it_at_once(database, file):
    write(database)

    database.checkpoint()

    assert rows_in(file) == 1
    assert thread_of(database) is None


def test_a_reader_in_the_way_keeps_what_it_reads(database, file):
    write(database)
    database.checkpoint()
    reader = sqlite3.connect(file, isolation_level=None)
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM written").fetchone() == (1,)
    write(database)

    database.checkpoint()

    assert reader.execute("SELECT count(*) FROM written").fetchone() == (1,)
    reader.close()


def test_no_file_is_made_in_place_of_one_that_is_gone(database, file, caplog):
    database.checkpoint()

    assert not file.exists()
    assert "unable to open database file" in caplog.text


def test_an_end_that_comes_with_a_checkpoint_is_not_forgotten(database, moving):
    class EndingMeanwhile(threading.Event):
        def clear(self):
            # As much of stop() as another thread may have done by this moment.
            database._checkpoints._stopped = True
            self.set()
            super().clear()

    database._checkpoints._due = EndingMeanwhile()
    for _ in range(TRANSACTIONS):
        write(database)

    until(lambda: not thread_of(database).is_alive())
