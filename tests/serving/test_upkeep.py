"""A service looks after its database by itself, without a command."""

import sqlite3

import pytest

from authservice.database.sqlite.write_ahead_log import WriteAheadLog
from authservice.services.upkeep import upkeep
from tests.helpers.expired import counts, fill
from tests.helpers.processes import LocalService
from tests.helpers.waiting import until

MORE_THAN_THE_LONGEST = 20_000_000


@pytest.fixture
def server(tmp_path, stopped_in_the_end):
    return stopped_in_the_end(LocalService(tmp_path))


def test_a_log_that_has_become_long_begins_anew(server, tmp_path):
    file = str(tmp_path / "local.sqlite")
    log = WriteAheadLog(file)
    writer, reader = (sqlite3.connect(file, isolation_level=None) for _ in range(2))
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM session").fetchall()
    writer.execute("CREATE TABLE written (value BLOB)")
    writer.execute("INSERT INTO written VALUES (zeroblob(?))", [MORE_THAN_THE_LONGEST])
    assert log.size() > MORE_THAN_THE_LONGEST

    reader.execute("COMMIT")

    until(lambda: log.size() < MORE_THAN_THE_LONGEST)
    writer.close()
    reader.close()


def test_what_has_expired_is_deleted(database, make_app, monkeypatch, caplog):
    caplog.set_level("INFO")
    monkeypatch.setattr(upkeep, "_FIRST_CLEANUP_WITHIN", 1)
    fill(database, 2)

    make_app()

    until(lambda: not any(counts(database).values()))
    until(lambda: "deleted what had expired: {'access_tokens': 6," in caplog.text)


def test_each_process_begins_at_a_moment_of_its_own(database):
    first = {upkeep.Upkeep(database)._tasks[0]._first for _ in range(20)}

    assert len(first) > 5
    assert all(0 <= seconds < 600 for seconds in first)
