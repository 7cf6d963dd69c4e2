"""What SQLite and its driver do by default, and what our engines set instead."""

import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

import pytest
from sqlalchemy import Column, Integer, MetaData, Table, create_engine, select, update

counter = Table(
    "counter", MetaData(), Column("id", Integer, primary_key=True), Column("n", Integer)
)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "pin.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript(
        "PRAGMA journal_mode = WAL; CREATE TABLE counter (id INTEGER PRIMARY KEY, n INTEGER);"
        " INSERT INTO counter VALUES (1, 0);"
    )
    connection.close()
    return path


@pytest.fixture
def opened(file):
    made = create_engine(f"sqlite:///{file}")
    yield made
    made.dispose()


def test_the_driver_begins_only_before_a_write_so_that_updates_are_lost(opened):
    with opened.connect() as first, opened.connect() as second:
        seen = first.scalar(select(counter.c.n)), second.scalar(select(counter.c.n))
        first.execute(update(counter).values(n=seen[0] + 1))
        first.commit()
        second.execute(update(counter).values(n=seen[1] + 1))
        second.commit()

    with opened.connect() as connection:
        assert connection.scalar(select(counter.c.n)) == 1


def test_a_deferred_transaction_that_read_before_is_locked_out_at_once(file):
    first, second = (sqlite3.connect(file, isolation_level=None, timeout=30) for _ in "ab")
    first.execute("BEGIN")
    first.execute("SELECT n FROM counter").fetchall()
    second.execute("UPDATE counter SET n = 5")

    started = time.monotonic()
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        first.execute("UPDATE counter SET n = 6")

    # The timeout of thirty seconds was not waited for.
    assert time.monotonic() - started < 25
    first.close()
    second.close()


def test_foreign_keys_are_off_until_a_connection_turns_them_on(file):
    connection = sqlite3.connect(file)

    assert connection.execute("PRAGMA foreign_keys").fetchone() == (0,)
    connection.close()


def test_a_conditional_update_has_one_winner(opened):
    statement = (
        update(counter).where(counter.c.id == 1, counter.c.n == 0).values(n=1).returning(counter.c)
    )

    def spend(_):
        with opened.begin() as connection:
            return connection.execute(statement).first() is not None

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(spend, range(8))) == [False] * 7 + [True]


def test_a_naive_moment_is_taken_as_local_time(monkeypatch):
    moment = datetime(2026, 1, 1)  # noqa: DTZ001
    seen = set()
    for zone in ("UTC", "Asia/Tokyo"):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        seen.add(moment.timestamp())
    monkeypatch.undo()
    time.tzset()

    assert len(seen) == 2
