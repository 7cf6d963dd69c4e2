"""Copies of a database in use, and how an unsound one is told from a sound one."""

import shutil
import sqlite3
import stat

import pytest

from authservice.database.revision import REVISION
from authservice.database.sqlite.copy import DamagedError, copy, examine

pytestmark = pytest.mark.engines("sqlite")

ROW = "INSERT INTO verification VALUES (?, ?, 'v', 1, 1, NULL)"


@pytest.fixture
def file(database_url, tmp_path):
    return tmp_path / "test.sqlite"


@pytest.fixture
def writer(file):
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    yield connection
    connection.close()


def rows(file):
    connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    found = [row[0] for row in connection.execute("SELECT id FROM verification ORDER BY id")]
    connection.close()
    return found


def test_a_copy_holds_what_was_committed_and_nothing_else(file, writer, tmp_path):
    writer.execute(ROW, ["a", "a"])
    writer.execute("BEGIN IMMEDIATE")
    writer.execute(ROW, ["b", "b"])

    copy(file, tmp_path / "copy")

    writer.execute("COMMIT")
    assert rows(tmp_path / "copy") == ["a"]
    assert rows(file) == ["a", "b"]


def test_it_is_one_file_for_its_owner_alone(file, writer, tmp_path):
    writer.execute(ROW, ["a", "a"])

    copy(file, tmp_path / "copy")

    assert [each.name for each in tmp_path.glob("copy*")] == ["copy"]
    assert stat.S_IMODE((tmp_path / "copy").stat().st_mode) == 0o600
    (tmp_path / "copy").chmod(0o400)
    assert rows(tmp_path / "copy") == ["a"]


def test_it_replaces_nothing(file, tmp_path):
    (tmp_path / "copy").write_text("mine")

    with pytest.raises(FileExistsError):
        copy(file, tmp_path / "copy")

    assert (tmp_path / "copy").read_text() == "mine"


def test_what_is_not_there_is_not_made(tmp_path):
    with pytest.raises(sqlite3.OperationalError):
        copy(tmp_path / "absent?mode=rwc", tmp_path / "copy")

    assert not list(tmp_path.glob("absent*"))


def test_a_sound_database_says_its_revision(file):
    assert examine(file) == REVISION


def spoil_a_page(file):
    with file.open("r+b") as content:
        content.seek(20 * 4096)
        content.write(b"\xff" * 4096)


def orphan(file):
    connection = sqlite3.connect(file)
    connection.execute(
        "INSERT INTO session VALUES ('s', 't', 'nobody', 1, 1, 1, NULL, NULL)",
    )
    connection.commit()
    connection.close()


def execute(statement):
    def change(file):
        connection = sqlite3.connect(file)
        connection.execute(statement)
        connection.commit()
        connection.close()

    return change


def test_an_unsound_one_is_refused_with_its_fault(subtests, file, tmp_path):
    for number, (spoil, fault) in enumerate(
        (
            (lambda file: file.write_bytes(b""), "no such table: alembic_version"),
            (lambda file: file.write_bytes(b"PGDMP" * 100), "file is not a database"),
            (lambda file: file.write_bytes(file.read_bytes()[: 10 * 4096]), "malformed"),
            (spoil_a_page, "[Pp]age 21"),
            (orphan, "rows of the table session refer to rows that are not there"),
            (execute("DROP TABLE alembic_version"), "no such table: alembic_version"),
            (execute("DELETE FROM alembic_version"), "the revision of its tables is not noted"),
        )
    ):
        with subtests.test(number=number, fault=fault):
            spoiled = shutil.copy(file, tmp_path / f"spoiled-{number}")
            spoil(spoiled)

            with pytest.raises(DamagedError, match=fault) as refused:
                examine(spoiled)

            assert "\n" not in str(refused.value)


def test_none_at_all_is_refused(tmp_path):
    with pytest.raises(DamagedError, match="unable to open database file"):
        examine(tmp_path / "absent")
