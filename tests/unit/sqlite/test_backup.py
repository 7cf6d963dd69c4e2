"""A backup has its name once it is complete and sound, and takes no other file's."""

import pytest

from authservice.database.sqlite import backup
from authservice.database.sqlite.backup import back_up

pytestmark = pytest.mark.engines("sqlite")


@pytest.fixture
def file(database_url, tmp_path):
    return tmp_path / "test.sqlite"


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "backups"
    made.mkdir()
    return made


def test_no_file_is_replaced_that_has_come_meanwhile(file, folder, monkeypatch):
    def examine(draft):
        assert not (folder / "backup").exists()
        (folder / "backup").write_text("theirs")

    monkeypatch.setattr(backup, "examine", examine)

    with pytest.raises(FileExistsError):
        back_up(file, folder / "backup")

    assert [each.read_text() for each in folder.iterdir()] == ["theirs"]
