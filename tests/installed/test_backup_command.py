"""``authservice backup``: while the service runs, and what it says when there can be none."""

import json
import sqlite3
import stat

import pytest

from authservice.cli import main as authservice
from authservice.database.revision import REVISION
from authservice.database.sqlite.copy import examine
from tests.helpers.processes import LocalService

pytestmark = [pytest.mark.engines("sqlite"), pytest.mark.usefixtures("found_by_commands")]


def refusal(capsys, *arguments):
    with pytest.raises(SystemExit) as stop:
        authservice(["backup", *arguments])
    assert capsys.readouterr().out == ""
    message = str(stop.value.code)
    assert message.startswith("authservice: ")
    assert "\n" not in message
    return message


def written(folder):
    """Return what lies beside the database and SQLite's own files of it."""
    return [file for file in folder.iterdir() if not file.name.startswith("test.sqlite")]


def test_it_says_what_it_wrote(tmp_path, capsys):
    authservice(["backup", "backup.sqlite"])

    size = (tmp_path / "backup.sqlite").stat().st_size
    expected = f"backup.sqlite: {size} bytes, revision {REVISION}, found to be sound\n"
    assert capsys.readouterr().out == expected
    assert written(tmp_path) == [tmp_path / "backup.sqlite"]


def test_it_says_it_in_json(tmp_path, capsys):
    authservice(["backup", "--json", f"{tmp_path}/backup.sqlite"])

    file = tmp_path / "backup.sqlite"
    assert json.loads(capsys.readouterr().out) == {
        "file": str(file),
        "bytes": file.stat().st_size,
        "revision": REVISION,
    }


def test_nothing_is_replaced(tmp_path, capsys):
    (tmp_path / "mine").write_text("mine")

    message = refusal(capsys, "mine")

    assert message == "authservice: mine is there already; a backup replaces nothing"
    assert (tmp_path / "mine").read_text() == "mine"


def test_a_database_that_is_not_there(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("AUTH_DATABASE_URL", f"sqlite:///{tmp_path}/absent.sqlite")

    assert refusal(capsys, "b") == f"authservice: there is no database {tmp_path}/absent.sqlite"
    assert not (tmp_path / "absent.sqlite").exists()


def test_a_damaged_database(tmp_path, capsys):
    connection = sqlite3.connect(tmp_path / "test.sqlite")
    connection.execute("DROP TABLE alembic_version")
    connection.close()

    assert refusal(capsys, "b").startswith("authservice: the database is damaged: no such table")
    assert written(tmp_path) == []


def test_a_folder_that_is_not_there(tmp_path, capsys):
    assert refusal(capsys, "nowhere/b") == (
        "authservice: there is no folder nowhere; make it: mkdir -p nowhere"
    )
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.attack("MACHINE-printed-password")
@pytest.mark.parametrize(
    "url",
    [
        "postgresql+psycopg://auth:hunter2@db.example.com:5433/accounts",
        "postgresql+psycopg://auth@db.example.com:5433/accounts?password=hunter2",
        "postgresql+psycopg://auth@db.example.com:5433/accounts?sslpassword=hunter2&password=hunter2",
    ],
)
def test_a_server_is_backed_up_by_its_own_program(monkeypatch, capsys, url):
    monkeypatch.setenv("AUTH_DATABASE_URL", url)

    message = refusal(capsys, "b.dump")

    assert message.endswith(
        "pg_dump --format=custom --no-owner --file=b.dump"
        " --dbname=postgresql://auth@db.example.com:5433/accounts"
    )
    assert "hunter2" not in message


def test_a_running_service_goes_on_meanwhile(tmp_path):
    service = LocalService(tmp_path)
    try:
        said = service.command("authservice", "backup", str(tmp_path / "backup.sqlite"))
    finally:
        assert service.stop() == 0

    backup = tmp_path / "backup.sqlite"
    assert "found to be sound" in said
    assert examine(backup) == REVISION
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    with sqlite3.connect(backup) as connection:
        assert connection.execute("SELECT count(*) FROM jwks").fetchone() == (3,)
    connection.close()
