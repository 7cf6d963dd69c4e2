"""Which ini file, and so which database, a command takes that is typed on a host."""

from pathlib import Path

import pytest
from sqlalchemy import func, select

from authservice.cli import main as authservice
from authservice.cli import register
from authservice.models import oauth_client
from tests.helpers.processes import ROOT

REGISTERING = ["--name", "Example App", "--redirect-uri", "https://app.example.com/callback"]
WRITING = (
    ["sign-out-everyone"],
    ["cleanup"],
    ["migrate"],
    ["keys", "rotate", "--dry-run"],
    ["clients", "delete", "none"],
    ["users", "delete", "none"],
    ["provider", "rebind"],
    ["oauth:register", *REGISTERING],
)
NEEDING_ONE = (*WRITING, ["backup", "x"], ["restore", "x"])

pytestmark = [
    pytest.mark.engines("sqlite"),
    pytest.mark.usefixtures("in_an_empty_folder"),
]


def _ini(path, database_url, mode="local"):
    Path(path).write_text(
        f"[app:main]\nuse = egg:authservice\nauth.mode = {mode}\n"
        f"auth.database_url = {database_url}\n"
    )
    return str(path)


def _wrong(capsys, arguments):
    # What was said before is none of it.
    capsys.readouterr()
    with pytest.raises(SystemExit) as stop:
        authservice(arguments)
    assert stop.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("authservice: ")
    assert captured.err.count("\n") == 1
    return captured.err


def _first_line(capsys):
    return capsys.readouterr().err.splitlines()[0]


def _clients(database):
    return database.reader.scalar(select(func.count()).select_from(oauth_client))


def test_a_command_without_an_ini_file_names_both_ways_to_name_one(subtests, capsys):
    for arguments in NEEDING_ONE:
        with subtests.test(arguments=arguments):
            said = _wrong(capsys, arguments)

            assert "--config" in said
            assert "AUTHSERVICE_CONFIG" in said


def test_an_ini_file_that_is_not_there_is_said_in_one_line(subtests, capsys, monkeypatch):
    for arguments in NEEDING_ONE:
        with subtests.test(arguments=arguments), monkeypatch.context() as environment:
            assert "no file absent.ini" in _wrong(capsys, [*arguments, "--config", "absent.ini"])

            environment.setenv("AUTHSERVICE_CONFIG", "gone.ini")
            assert "no file gone.ini" in _wrong(capsys, arguments)


def test_an_ini_file_that_cannot_be_read_is_said_in_one_line(subtests, capsys):
    for content, said in (
        (b"[app:main\n", "cannot be read"),
        (b"\xff\xfe", "cannot be read"),
        (b"[app:main]\nx = %(nothing)s\n", "cannot be read"),
        (b"[app:main]\nauth.url = 100%\nsecret\n", "cannot be read"),
        (b"[server:main]\nx = 1\n", "has no section [app:main]"),
    ):
        Path("bad.ini").write_bytes(content)
        for command in (
            "sign-out-everyone",
            "clients list",
            "clients disable x",
            "provider rebind",
        ):
            with subtests.test(content=content, command=command):
                assert said in _wrong(capsys, [*command.split(), "--config", "bad.ini"])


def test_an_ini_file_may_have_any_name(capsys, database_url):
    authservice(["sign-out-everyone", "--config", _ini("my.conf", database_url)])

    assert "my.conf" in _first_line(capsys)


def test_the_variable_names_the_file(database, database_url, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("AUTHSERVICE_CONFIG", _ini(tmp_path / "my.ini", database_url))
    _ini("local.ini", "sqlite:////nowhere/x.sqlite")

    register.main(REGISTERING)

    assert _clients(database) == 1
    assert "my.ini" in _first_line(capsys)


def test_the_flag_wins_over_the_variable_and_the_first_line_says_so(
    database, database_url, tmp_path, monkeypatch, capsys
):
    other = _ini(tmp_path / "other.ini", "sqlite:////nowhere/x.sqlite")
    monkeypatch.setenv("AUTHSERVICE_CONFIG", other)
    path = _ini(tmp_path / "my.ini", database_url)

    register.main([*REGISTERING, "--config", path])

    assert _clients(database) == 1
    first = _first_line(capsys)
    assert f"of {path} (--config; AUTHSERVICE_CONFIG names {other}, which is not used)" in first
    authservice(["clients", "list", "--config", path])
    assert "which is not used" in _first_line(capsys)
    with pytest.raises(SystemExit):
        authservice(["check", "--config", "absent.ini"])
    assert "which is not used" in _first_line(capsys)


def test_the_same_file_by_two_names_is_no_difference(database_url, database, monkeypatch, capsys):
    _ini("my.ini", database_url)
    monkeypatch.setenv("AUTHSERVICE_CONFIG", str(Path("my.ini").absolute()))

    authservice(["sign-out-everyone", "--config", "./my.ini"])

    assert _first_line(capsys).endswith("of ./my.ini.")


def test_check_examines_the_file_that_the_variable_names(monkeypatch, capsys):
    monkeypatch.setenv("AUTHSERVICE_CONFIG", "absent.ini")

    with pytest.raises(SystemExit):
        authservice(["check"])

    assert "absent.ini" in capsys.readouterr().out


def test_beside_a_configured_production_ini_only_registering_takes_local_ini(
    subtests, database, database_url, capsys, monkeypatch
):
    _ini("local.ini", database_url)
    shipped = (ROOT / "production.ini").read_bytes()
    Path("production.ini").write_bytes(shipped)
    authservice(["sign-out-everyone"])
    assert "local.ini" in _first_line(capsys)

    for how, content, variables in (
        ("address", shipped.replace(b"auth.example.com", b"auth.observatory.org"), {}),
        ("client id", shipped.replace(b"set-me", b"Ov23liExample"), {}),
        ("environment", shipped, {"PROVIDER_CLIENT_ID": "Ov23liExample"}),
        ("not readable as text", b"\xff", {}),
    ):
        with subtests.test(how=how), monkeypatch.context() as environment:
            before = _clients(database)
            Path("production.ini").write_bytes(content)
            for name, value in variables.items():
                environment.setenv(name, value)

            assert "a configured production.ini" in _wrong(capsys, ["sign-out-everyone"])

            authservice(["oauth:register", *REGISTERING])
            assert _clients(database) == before + 1


def test_every_command_that_writes_names_its_database_first(database, database_url, capsys):
    path = _ini("my.ini", database_url)
    backup = ["backup", str(Path("copy.sqlite").absolute())]

    for arguments in (*WRITING, backup):
        try:
            authservice([*arguments, "--config", path])
        except SystemExit:
            if arguments[0] == "provider":
                continue  # local mode has none, and nothing is opened
        said = _first_line(capsys)
        assert said == f"The database is {database.url.database}, of {path}.", arguments


def test_the_first_line_tells_no_password(capsys, monkeypatch):
    monkeypatch.setenv(
        "AUTH_DATABASE_URL",
        "postgresql+psycopg://user:the-password@127.0.0.1:9/none?connect_timeout=2&sslpassword=too",
    )

    with pytest.raises(SystemExit):
        authservice(["sign-out-everyone"])

    first = _first_line(capsys)
    assert "user@127.0.0.1:9/none" in first
    assert first.endswith("of AUTH_DATABASE_URL.")
    assert "the-password" not in first
    assert "too" not in first
