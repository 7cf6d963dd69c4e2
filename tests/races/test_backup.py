"""Backups of a database to which several processes write: each is of one moment."""

import sqlite3
from pathlib import Path

import pytest

from authservice.database.sqlite.backup import back_up

pytestmark = pytest.mark.engines("sqlite")


def people(backup):
    """Return how many users and accounts there are, which are made two at a time."""
    connection = sqlite3.connect(backup)
    counts = [
        connection.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0]
        for table in ("user", "account")
    ]
    connection.close()
    return counts


def test_each_backup_is_sound_and_holds_whole_transactions(traffic, database, tmp_path):
    busy = traffic("sign up", "sign up", "read")
    before = 0

    for number in range(10):
        backup = tmp_path / f"backup-{number}"
        # It looks for rows that refer to none, too.
        back_up(Path(database.url.database), backup)
        users, accounts = people(backup)
        assert users == accounts
        assert users >= before
        before = users

    assert all(process.poll() is None for process in busy)
    assert before > 0
