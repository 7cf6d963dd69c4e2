"""The write-ahead log stays short while several processes read and write without a pause."""

import subprocess
import sys
import threading

import pytest
from sqlalchemy import func, select

from authservice.models import verification
from authservice.sqlite.write_ahead_log import WriteAheadLog
from tests.processes import ROOT, clean_environment

ROWS = 5000
# What SQLite alone lets the log become for so many rows is several times as much.
BOUND = 64 * 1024 * 1024


@pytest.fixture
def traffic(database_url):
    """Start processes that read and write until the test ends."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.races.log_traffic", what, database_url],
            cwd=ROOT,
            env=clean_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for what in ("read", "read", "write", "write")
    ]
    yield processes
    for process in processes:
        process.stdin.close()
    for process in processes:
        assert process.wait(30) == 0
        process.stdout.close()


def test_the_log_stays_short_however_busy_the_processes_are(traffic, database, database_url):
    log = WriteAheadLog(database.url.database)
    count = select(func.count()).select_from(verification)
    longest = 0
    pause = threading.Event()

    while database.reader.scalar(count) < ROWS:
        assert all(process.poll() is None for process in traffic)
        pause.wait(0.1)
        longest = max(longest, log.size())
        log.keep_short()

    assert longest < BOUND
