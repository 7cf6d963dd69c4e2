"""Which database the commands work on, and what they say when it is not to be had."""

import json
import sys
from pathlib import Path

import pytest
from sqlalchemy import func, select, text

from authservice.cli import main as authservice
from authservice.cli import register
from authservice.models import jwks, oauth_client
from tests.helpers.processes import SCRIPTS, finished

REQUIRED = ["--name", "Example App", "--redirect-uri", "https://app.example.com/callback"]

pytestmark = pytest.mark.usefixtures("in_an_empty_folder")


def _ini(path, database_url, more=""):
    path.write_text(
        f"[app:main]\nuse = egg:authservice\nauth.mode = local\n"
        f"auth.database_url = {database_url}\n{more}"
    )
    return str(path)


def _count(database, table=oauth_client):
    return database.reader.scalar(select(func.count()).select_from(table))


def _refused(capsys, run, arguments):
    with pytest.raises(SystemExit) as stop:
        run(arguments)
    assert capsys.readouterr().out == ""
    message = str(stop.value.code)
    assert message.startswith("authservice: ")
    assert "\n" not in message
    return message


def test_the_environment_wins_over_the_file(database, database_url, tmp_path, monkeypatch):
    monkeypatch.setenv("AUTH_DATABASE_URL", database_url)
    path = _ini(tmp_path / "my.ini", "sqlite:////nowhere/x.sqlite")

    register.main([*REQUIRED, "--config", path])

    assert _count(database) == 1


def test_no_secret_is_needed(database, database_url, tmp_path):
    path = tmp_path / "production.ini"
    path.write_text(
        "[app:main]\nauth.mode = production\nauth.url = https://auth.example.com\n"
        f"auth.database_url = {database_url}\n"
    )

    register.main([*REQUIRED, "--config", str(path)])

    assert _count(database) == 1
    assert _count(database, jwks) == 0
    assert not Path(f"{database.url.database}.secret").exists()


def test_a_database_that_is_not_migrated_is_left_alone(capsys, tmp_path, monkeypatch):
    file = tmp_path / "empty.sqlite"
    monkeypatch.setenv("AUTH_DATABASE_URL", f"sqlite:///{file}")
    assert "not migrated" in _refused(capsys, register.main, REQUIRED)
    assert not file.exists()

    file.touch()
    assert "not migrated" in _refused(capsys, register.main, REQUIRED)
    assert file.stat().st_size == 0


@pytest.mark.parametrize(
    ("variable", "arguments"),
    [
        ("AUTH_DATABASE_URL", []),
        ("AUTH_REMOTE_DATABASE_URL", ["--remote"]),
        (None, ["--config", "my file.ini"]),
    ],
)
def test_the_command_that_it_names_migrates_that_database(tmp_path, variable, arguments):
    url = f"sqlite:///{tmp_path}/here.sqlite"
    environ = {variable: url} if variable else {}
    _ini(tmp_path / "my file.ini", url)
    asked = _script("authservice-register", *REQUIRED, *arguments, cwd=tmp_path, **environ)
    said, _, command = asked.stderr.splitlines()[-1].partition("; run: ")

    environ["PATH"] = f"{SCRIPTS}:/usr/bin:/bin"
    migrated = finished(["sh", "-c", command], cwd=tmp_path, env=environ)

    assert said == f"authservice-register: the database {tmp_path}/here.sqlite is not migrated"
    assert migrated.returncode == 0, migrated.stderr
    again = _script("authservice-register", *REQUIRED, *arguments, cwd=tmp_path, **environ)
    assert again.returncode == 0, again.stderr


def test_a_database_of_another_version_is_left_alone(capsys, database, database_url, monkeypatch):
    monkeypatch.setenv("AUTH_DATABASE_URL", database_url)
    with database.transaction() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0000'"))

    assert "not migrated" in _refused(capsys, register.main, REQUIRED)
    assert _count(database) == 0


@pytest.mark.parametrize(
    "url",
    [
        "postgresql+psycopg://user:the-password@127.0.0.1:9/none?connect_timeout=2",
        "sqlite:////proc/none/x.sqlite",
    ],
)
def test_a_database_that_cannot_be_reached_is_said_without_its_password(capsys, monkeypatch, url):
    monkeypatch.setenv("AUTH_DATABASE_URL", url)

    message = _refused(capsys, register.main, REQUIRED)

    assert "cannot be reached" in message or "not migrated" in message
    assert "the-password" not in message


def test_a_folder_in_place_of_a_database_cannot_be_opened(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("AUTH_DATABASE_URL", f"sqlite:///{tmp_path}")

    assert "cannot be reached" in _refused(capsys, register.main, REQUIRED)
    assert "cannot be reached" in _refused(capsys, authservice, ["migrate"])


def test_an_address_of_no_database_is_refused(capsys, monkeypatch):
    monkeypatch.setenv("AUTH_DATABASE_URL", "mysql://user:the-password@host/x")

    message = _refused(capsys, register.main, REQUIRED)

    assert "AUTH_DATABASE_URL" in message
    assert "the-password" not in message


def test_remote_reads_its_own_variable_only(database, database_url, tmp_path, monkeypatch):
    monkeypatch.setenv("AUTH_REMOTE_DATABASE_URL", database_url)
    # Whatever stands elsewhere is not even read.
    monkeypatch.setenv("AUTH_DATABASE_URL", f"sqlite:///{tmp_path}/other.sqlite")
    monkeypatch.setenv("AUTH_SQLITE_SYNCHRONOUS", "nonsense")
    monkeypatch.setenv("AUTH_SECRET", "not a secret")
    monkeypatch.setenv("AUTH_SECRET_FILE", "/nowhere")
    Path("local.ini").write_text("this is no ini file")

    register.main([*REQUIRED, "--remote"])

    assert _count(database) == 1
    assert _count(database, jwks) == 0
    assert not (tmp_path / "other.sqlite").exists()
    assert not Path(f"{database.url.database}.secret").exists()


def test_remote_without_its_variable_says_so(capsys, database, database_url, monkeypatch):
    monkeypatch.setenv("AUTH_DATABASE_URL", database_url)

    message = _refused(capsys, register.main, [*REQUIRED, "--remote"])

    assert "AUTH_REMOTE_DATABASE_URL" in message
    assert _count(database) == 0


def test_remote_takes_no_ini_file(capsys, database, database_url, monkeypatch, tmp_path):
    monkeypatch.setenv("AUTH_REMOTE_DATABASE_URL", database_url)
    path = _ini(tmp_path / "x.ini", database_url)

    message = _refused(capsys, register.main, [*REQUIRED, "--remote", "--config", path])

    assert "--config does not go with --remote" in message
    assert _count(database) == 0


@pytest.mark.parametrize("url", ["mysql://u:the-password@h/x", "nonsense"])
def test_remote_refuses_what_is_no_database(capsys, monkeypatch, url):
    monkeypatch.setenv("AUTH_REMOTE_DATABASE_URL", url)

    message = _refused(capsys, register.main, [*REQUIRED, "--remote"])

    assert message.startswith("authservice: AUTH_REMOTE_DATABASE_URL: must be sqlite:///FILE")
    assert "the-password" not in message


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["migrate", "--nonsense"]])
def test_a_command_that_there_is_not_is_refused_in_one_line(capsys, arguments):
    with pytest.raises(SystemExit) as stop:
        authservice(arguments)

    assert stop.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


def _script(name, *arguments, cwd, **environ):
    return finished([SCRIPTS / name, *arguments], cwd=cwd, env=environ)


def test_the_installed_commands_migrate_and_register(tmp_path):
    environ = {"AUTH_DATABASE_URL": f"sqlite:///{tmp_path}/x.sqlite"}

    before = _script("authservice-register", *REQUIRED, cwd=tmp_path, **environ)
    assert (before.returncode, before.stdout) == (1, "")
    assert before.stderr.splitlines()[1].startswith("authservice-register: ")
    assert "not migrated" in before.stderr.splitlines()[1]

    migrated = _script("authservice", "migrate", cwd=tmp_path, **environ)
    assert (migrated.returncode, migrated.stdout) == (0, "")

    absent = _script("authservice-register", *REQUIRED, "--config", "absent.ini", cwd=tmp_path)
    assert (absent.returncode, absent.stdout) == (2, "")
    assert absent.stderr.startswith("authservice-register: there is no file absent.ini")

    first = _script("authservice-register", *REQUIRED, "--json", cwd=tmp_path, **environ)
    second = _script("authservice", "oauth:register", *REQUIRED, "--json", cwd=tmp_path, **environ)
    for made in (first, second):
        assert made.returncode == 0
        assert set(json.loads(made.stdout)) >= {"client_id", "client_secret"}


def test_the_installed_command_registers_remotely(tmp_path, database, database_url):
    made = _script(
        "authservice-register",
        *REQUIRED,
        "--remote",
        "--public",
        cwd=tmp_path,
        AUTH_REMOTE_DATABASE_URL=database_url,
    )

    assert made.returncode == 0
    named, logged = made.stderr.splitlines()
    assert "AUTH_REMOTE_DATABASE_URL" in named
    event = json.loads(logged)["event"]
    assert event == {"name": "client_registered", "client_id": event["client_id"]}
    assert event["client_id"] in made.stdout
    assert _count(database) == 1


def test_the_installed_command_refuses_with_a_status(tmp_path, database, database_url):
    arguments = ["--name", "X", "--redirect-uri", "http://app.example.com/"]

    made = _script("authservice-register", *arguments, cwd=tmp_path, AUTH_DATABASE_URL=database_url)

    assert made.returncode == 1
    assert made.stdout == ""
    assert "must use https" in made.stderr
    assert _count(database) == 0


def test_without_the_driver_it_says_what_to_install(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.delitem(sys.modules, "authservice.database.postgresql.replies", raising=False)
    monkeypatch.setenv("AUTH_DATABASE_URL", "postgresql+psycopg://u@db.example.com/auth")

    for run, arguments in ((register.main, REQUIRED), (authservice, ["migrate"])):
        message = _refused(capsys, run, arguments)
        assert message.endswith("run: pip install 'authservice[postgresql]'")
