"""A database's content is replaced as a whole, while no other process has the file open."""

import os
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
from contextlib import closing

import pytest

from authservice.database.sqlite.replacement import InUseError, replace, set_aside
from tests.helpers.parts import as_root
from tests.helpers.processes import ROOT

pytestmark = pytest.mark.engines("sqlite")

# A process that says what it read, and ends when its input does.
_READER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], timeout=60)
print(connection.execute("SELECT name FROM content").fetchone()[0], flush=True)
sys.stdin.read()
"""
# A process that finds the database locked, waits, and then says what it read.
_WAITER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], timeout=0)
try:
    connection.execute("SELECT name FROM content")
except sqlite3.OperationalError as error:
    print(error, flush=True)
connection.execute("PRAGMA busy_timeout = 60000")
print(connection.execute("SELECT name FROM content").fetchone()[0], flush=True)
"""
_REPLACER = """
import sys
from pathlib import Path
from authservice.database.sqlite.replacement import replace
replace(*map(Path, sys.argv[1:]))
"""


def make(file, name, *, wal=True):
    connection = sqlite3.connect(file)
    connection.execute(f"PRAGMA journal_mode = {'WAL' if wal else 'DELETE'}")
    connection.execute("CREATE TABLE content AS SELECT ? AS name", [name])
    connection.commit()
    connection.close()
    return file


def content(file):
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute("SELECT name FROM content").fetchone()[0]


def python(program, *arguments):
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def database(tmp_path):
    return make(tmp_path / "database", "old")


@pytest.fixture
def new(tmp_path):
    return make(tmp_path / "new", "new", wal=False)


@pytest.fixture
def kept(tmp_path):
    return tmp_path / "kept"


@pytest.fixture
def slow(tmp_path):
    """Content that arrives when it is written into this pipe."""
    os.mkfifo(tmp_path / "slow")
    return tmp_path / "slow"


def test_the_new_content_is_there_and_the_old_is_kept(database, new, kept):
    database.chmod(0o640)
    inode = database.stat().st_ino

    assert replace(database, new, kept) is True

    assert (content(database), content(kept), content(new)) == ("new", "old", "new")
    assert (database.stat().st_ino, stat.S_IMODE(database.stat().st_mode)) == (inode, 0o640)
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


def test_longer_content_is_cut_off(database, new, kept):
    connection = sqlite3.connect(database)
    connection.execute("CREATE TABLE more AS SELECT zeroblob(100000)")
    connection.close()

    replace(database, new, kept)

    assert database.stat().st_size == new.stat().st_size


def test_one_that_is_not_there_is_made(tmp_path, new, kept):
    (tmp_path / "absent-wal").write_bytes(b"left from before")

    assert replace(tmp_path / "absent", new, kept) is False

    assert content(tmp_path / "absent") == "new"
    assert stat.S_IMODE((tmp_path / "absent").stat().st_mode) == 0o600
    assert not kept.exists()


def test_what_root_makes_belongs_to_the_owner_of_what_was_there(tmp_path, database, new, kept):
    as_root()
    os.chown(database, 12345, 12346)
    os.chown(tmp_path, 12345, 12346)

    replace(database, new, kept)
    replace(tmp_path / "absent", new, tmp_path / "none")

    for file in (database, kept, tmp_path / "absent"):
        assert (file.stat().st_uid, file.stat().st_gid) == (12345, 12346)


@pytest.fixture
def killed(database):
    """A process that had written to the database was killed."""
    writer = python(
        "import sqlite3, sys, time\n"
        "connection = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "connection.execute(\"UPDATE content SET name = 'in the log'\")\n"
        "print('done', flush=True); sys.stdin.read()",
        database,
    )
    assert writer.stdout.readline() == "done\n"
    writer.kill()
    writer.communicate()
    assert database.with_name("database-wal").stat().st_size > 0


@pytest.mark.usefixtures("killed")
def test_what_a_killed_process_left_in_the_log_is_kept_and_not_mixed_in(database, new, kept):
    replace(database, new, kept)

    assert not list(database.parent.glob("database-*"))
    assert (content(database), content(kept)) == ("new", "in the log")


@pytest.mark.usefixtures("killed")
def test_one_that_is_set_aside_leaves_nothing_in_its_place(database, kept):
    set_aside(database, kept)

    assert not list(database.parent.glob("database*"))
    assert content(kept) == "in the log"


def test_one_that_somebody_has_open_is_left_alone(database, new, kept):
    reader = python(_READER, database)
    assert reader.stdout.readline() == "old\n"
    before = database.read_bytes()

    with pytest.raises(InUseError):
        replace(database, new, kept)
    with pytest.raises(InUseError):
        set_aside(database, kept)

    assert database.read_bytes() == before
    assert not kept.exists()
    reader.communicate()
    assert replace(database, new, kept) is True


def test_who_opens_it_meanwhile_waits_for_the_new_content(database, new, kept, slow):
    replacing = threading.Thread(target=replace, args=[database, slow, kept])
    replacing.start()
    # Opening succeeds once the other end is open, and then the old content is gone.
    with slow.open("wb") as pipe:
        waiter = python(_WAITER, database)
        assert waiter.stdout.readline() == "database is locked\n"
        pipe.write(new.read_bytes())
    replacing.join()

    assert waiter.communicate() == ("new\n", None)


def test_one_that_was_written_by_half_serves_nobody_and_can_be_written_again(
    database, new, kept, slow
):
    replacing = python(_REPLACER, database, slow, kept)
    with slow.open("wb") as pipe:
        pipe.write(new.read_bytes()[:5000])
        pipe.flush()
        replacing.send_signal(signal.SIGKILL)
        replacing.communicate()

    with pytest.raises(sqlite3.DatabaseError, match="not a database"):
        content(database)
    assert content(kept) == "old"

    replace(database, new, kept.with_name("kept too"))
    assert content(database) == "new"
