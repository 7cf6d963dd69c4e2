"""A backup has its name once it is complete and sound, and takes no other file's."""

import sqlite3
import stat

import pytest

from authservice.database.schema import REVISION
from authservice.database.sqlite import backup
from authservice.database.sqlite.backup import back_up
from authservice.database.sqlite.copy import DamagedError

pytestmark = pytest.mark.engines("sqlite")


@pytest.fixture
def file(database_url, tmp_path):
    return tmp_path / "test.sqlite"


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "backups"
    made.mkdir()
    return made


def test_it_is_one_file_for_its_owner_alone(file, folder):
    assert back_up(file, folder / "backup") == REVISION

    assert [each.name for each in folder.iterdir()] == ["backup"]
    assert stat.S_IMODE((folder / "backup").stat().st_mode) == 0o600


def test_nobodys_file_is_replaced(file, folder):
    (folder / "backup").write_text("mine")

    with pytest.raises(FileExistsError):
        back_up(file, folder / "backup")

    assert (folder / "backup").read_text() == "mine"


def test_not_even_one_that_has_come_meanwhile(file, folder, monkeypatch):
    def examine(draft):
        assert not (folder / "backup").exists()
        (folder / "backup").write_text("theirs")

    monkeypatch.setattr(backup, "examine", examine)

    with pytest.raises(FileExistsError):
        back_up(file, folder / "backup")

    assert [each.read_text() for each in folder.iterdir()] == ["theirs"]


def test_of_a_damaged_database_there_is_none(file, folder):
    connection = sqlite3.connect(file)
    connection.execute("DROP TABLE alembic_version")
    connection.close()

    with pytest.raises(DamagedError):
        back_up(file, folder / "backup")

    assert list(folder.iterdir()) == []


def test_a_folder_that_is_not_there_is_not_made(file, folder):
    with pytest.raises(FileNotFoundError):
        back_up(file, folder / "nowhere/backup")
