"""The write-ahead log stays short while several processes read and write without a pause."""

import threading

import pytest
from sqlalchemy import func, select

from authservice.models import verification
from authservice.sqlite.write_ahead_log import WriteAheadLog

pytestmark = pytest.mark.engines("sqlite")

ROWS = 5000
# What SQLite alone lets the log become for so many rows is several times as much.
BOUND = 64 * 1024 * 1024


def test_the_log_stays_short_however_busy_the_processes_are(traffic, database):
    busy = traffic("read", "read", "write", "write")
    log = WriteAheadLog(database.url.database)
    count = select(func.count()).select_from(verification)
    longest = 0
    pause = threading.Event()

    while database.reader.scalar(count) < ROWS:
        assert all(process.poll() is None for process in busy)
        pause.wait(0.1)
        longest = max(longest, log.size())
        log.keep_short()

    assert longest < BOUND
