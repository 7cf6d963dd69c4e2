"""What is known of a database file, where several threads look at it."""

import sqlite3
import sys
import threading
from contextlib import closing, suppress

import pytest
from sqlalchemy.exc import OperationalError

from authservice.database.sqlite.database_file import DatabaseFile


@pytest.fixture
def impatient_threads():
    """Let threads take turns as often as possible."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.usefixtures("impatient_threads")
def test_threads_that_look_at_the_same_time_say_once_that_it_is_gone(tmp_path, caplog):
    for name in range(20):
        file = tmp_path / f"{name}.sqlite"
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("CREATE TABLE person (name)")
        watched = DatabaseFile(str(file))
        watched.connected()
        ended = threading.Event()

        def look(watched=watched, ended=ended):
            while not ended.is_set():
                watched.look_again()

        threads = [threading.Thread(target=look) for _ in range(3)]
        for thread in threads:
            thread.start()
        file.unlink()
        for _ in range(40):
            with suppress(OperationalError):
                watched.require()
        ended.set()
        for thread in threads:
            thread.join()
        said = [each.getMessage() for each in caplog.records if file.name in each.getMessage()]
        assert len(said) == 1, said
