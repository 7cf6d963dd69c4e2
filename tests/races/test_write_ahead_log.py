"""The write-ahead log stays short while several processes read and write without a pause."""

import threading

import pytest
from sqlalchemy import func, select

from authservice.database.sqlite.write_ahead_log import WriteAheadLog
from authservice.models import verification

pytestmark = pytest.mark.engines("sqlite")

ROWS = 5000


def test_the_log_stays_short_however_busy_the_processes_are(traffic, database):
    busy = traffic("read", "read", "write", "write")
    # Each process of a service looks after it.
    logs = [WriteAheadLog(database.url.database) for _ in busy]
    count = select(func.count()).select_from(verification)
    # What the log held each time before it began again, and what it holds now.
    lengths = [0]
    pause = threading.Event()

    while database.reader.scalar(count) < ROWS:
        assert all(process.poll() is None for process in busy)
        pause.wait(0.1)
        for log in logs:
            lengths[-1] = max(lengths[-1], log.size())
            log.keep_short()
            if log.size() < lengths[-1]:
                lengths.append(log.size())

    # SQLite alone keeps all that was written in one.
    assert max(lengths) < sum(lengths) / 2
