"""The write-ahead log begins again once it is long, unless a connection reads from it."""

import sqlite3

import pytest

from authservice.database.sqlite import write_ahead_log
from authservice.database.sqlite.write_ahead_log import WriteAheadLog

pytestmark = pytest.mark.engines("sqlite")

LONGEST = 100_000


@pytest.fixture(autouse=True)
def _short(monkeypatch):
    monkeypatch.setattr(write_ahead_log, "_LONGEST", LONGEST)


@pytest.fixture
def file(tmp_path):
    return str(tmp_path / "test.sqlite")


@pytest.fixture
def writer(file):
    with sqlite3.connect(file, isolation_level=None) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute("CREATE TABLE written (value BLOB)")
        yield connection
    connection.close()


@pytest.fixture
def log(file):
    return WriteAheadLog(file)


def write(connection, size):
    connection.execute("INSERT INTO written VALUES (randomblob(?))", [size])


def test_a_short_log_is_left_alone(writer, log):
    write(writer, LONGEST // 2)
    before = log.size()

    log.keep_short()

    assert log.size() == before > LONGEST // 2


def test_a_long_log_begins_anew_and_nothing_is_lost(writer, log, file):
    write(writer, LONGEST)

    log.keep_short()

    assert log.size() == 0
    with sqlite3.connect(file) as reader:
        assert reader.execute("SELECT length(value) FROM written").fetchall() == [(LONGEST,)]
    reader.close()


def test_without_a_database_there_is_nothing_to_do(log):
    log.keep_short()

    assert log.size() == 0


def test_a_reader_in_the_way_is_let_be_until_the_log_is_twice_as_long(writer, log, file):
    write(writer, LONGEST)
    reader = sqlite3.connect(file, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM written").fetchall()
    write(writer, 1)

    log.keep_short()
    size = log.size()
    assert size > LONGEST

    # No reader is in the way any more, but it is not yet time to try again.
    reader.close()
    log.keep_short()
    assert log.size() == size

    write(writer, 2 * size)
    log.keep_short()
    assert log.size() == 0

    write(writer, LONGEST)
    log.keep_short()
    assert log.size() == 0


def test_a_writer_in_the_way_is_let_be(writer, log):
    write(writer, LONGEST)
    writer.execute("BEGIN IMMEDIATE")

    log.keep_short()

    assert log.size() > LONGEST
    writer.execute("COMMIT")
