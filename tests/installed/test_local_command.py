"""``authservice local``: a service of local mode by one command, on its own."""

import base64
import json
import signal
import socket
import stat

import pytest
import requests

from tests.e2e.person import Person
from tests.helpers.local_command import TEMPORARY, LocalCommand
from tests.helpers.processes import SCRIPTS, finished
from tests.helpers.waiting import until


@pytest.fixture
def start(tmp_path):
    started = []

    def run(*arguments, **environ):
        started.append(LocalCommand(tmp_path, *arguments, **environ))
        return started[-1]

    yield run
    for each in started:
        if each._process.poll() is None:
            each.stop()


def refused(folder, *arguments, **environ):
    """Return the status of a command that ends by itself, and what it says."""
    ended = finished([SCRIPTS / "authservice", "local", *arguments], cwd=folder, env=environ)
    assert ended.stdout == ""
    return ended.returncode, ended.stderr


def test_it_prints_where_it_is_and_can_be_asked_at_once(start):
    service = start()

    assert set(json.loads(service.line)) == {"url", "control_token"}
    assert service.get("/api/health").json()["status"] == "ok"
    assert service.get("/api/local/persons", headers=service.control).status_code == 200
    found = service.get("/api/auth/.well-known/openid-configuration").json()
    assert found["issuer"] == f"{service.url}/api/auth"


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_when_it_is_told_and_leaves_nothing(start, how):
    service = start()
    folders = list(service.temporary.iterdir())
    assert "local.sqlite" in service.files()

    status, printed, _ = service.stop(how)

    assert (status, printed) == (0, "")
    assert len(folders) == 1
    assert list(service.temporary.iterdir()) == []


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_it_leaves_nothing_if_it_is_told_while_it_starts(start, how):
    def tell(starting):
        until(lambda: any(starting.temporary.iterdir()))
        starting.tell(how)

    service = start(meanwhile=tell)

    assert service.ended()[0] == 0
    assert list(service.temporary.iterdir()) == []


def test_what_a_killed_one_has_left_is_removed_by_the_next(start):
    killed, running = start(), start()
    killed.stop(signal.SIGKILL)
    assert len(list(running.temporary.iterdir())) == 2

    third = start()

    assert len(list(third.temporary.iterdir())) == 2
    assert running.get("/api/ready").status_code == 200
    for each in (running, third):
        each.stop()
    assert list(third.temporary.iterdir()) == []


def test_its_first_line_names_the_database_where_clients_are_registered(start, tmp_path):
    service = start()
    (folder,) = service.temporary.iterdir()
    database = folder / "local.sqlite"

    registered = finished(
        [
            SCRIPTS / "authservice-register",
            "--json",
            "--name=A",
            "--redirect-uri=http://localhost/",
        ],
        cwd=tmp_path,
        env={"AUTH_DATABASE_URL": f"sqlite:///{database}"},
        check=True,
    )

    client_id = json.loads(registered.stdout)["client_id"]
    allowed = {"person": "local-developer", "client_id": client_id, "scopes": ["openid"]}
    url = f"{service.url}/api/local/consents"
    assert requests.put(url, json=allowed, headers=service.control, timeout=20).json() == allowed
    assert service.stop()[2].splitlines()[0] == f"The database is {database}."


def test_a_database_that_cannot_be_is_said_in_one_line(subtests, tmp_path):
    (tmp_path / "file").write_text("no database\n" * 1000)

    for named, status, text in (
        ("", 2, "must be the path of an SQLite file"),
        ("postgresql://localhost/a", 2, "must be the path of an SQLite file"),
        ("file/local.sqlite", 1, "cannot be made: "),
        ("file", 1, "file is not a database"),
    ):
        with subtests.test(named=named):
            ended, said = refused(tmp_path, "--port", "0", "--database", named)
            assert ended == status
            assert text in said
            assert "Traceback" not in said


def test_what_is_temporary_belongs_to_its_user_alone(start):
    service = start()

    (folder,) = service.temporary.iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()}
    assert modes["local.sqlite"] == modes["local.sqlite.secret"] == 0o600


def test_it_has_nothing_of_what_is_exported_for_another_service(start, tmp_path):
    secret = base64.b64encode(bytes(range(32))).decode()
    others = tmp_path / "others.sqlite"

    service = start(
        AUTH_URL="http://localhost:37960",
        AUTH_DATABASE_URL=f"sqlite:///{others}",
        AUTH_SECRET=secret,
        AUTHSERVICE_CONFIG="/nowhere/production.ini",
    )

    found = service.get("/api/auth/.well-known/openid-configuration").json()
    assert found["issuer"] == f"{service.url}/api/auth" != "http://localhost:37960/api/auth"
    assert not others.exists()
    assert "local.sqlite.secret" in service.files()


def test_the_cookies_of_two_in_one_browser_do_not_meet(start):
    one, other = start(), start()
    person = Person(one.url)
    person.open(f"{one.url}/sign-in")

    session = "/api/auth/get-session"
    assert person.http.get(f"{one.url}{session}", timeout=20).json()["user"]
    assert person.http.get(f"{other.url}{session}", timeout=20).json() is None
    person.service_url = other.url
    person.open(f"{other.url}/sign-in")
    names = {cookie.name.partition(".")[0] for cookie in person.http.cookies}
    assert names == {f"authservice-{each.url.rpartition(':')[2]}" for each in (one, other)}
    assert person.http.get(f"{one.url}{session}", timeout=20).json()["user"]
    assert person.http.get(f"{other.url}{session}", timeout=20).json()["user"]


def test_two_have_neither_keys_nor_tokens_in_common(start):
    one, other = start(), start()

    kids = [
        {key["kid"] for key in each.get("/api/auth/jwks").json()["keys"]} for each in (one, other)
    ]
    assert kids[0].isdisjoint(kids[1])
    assert one.get("/api/local/persons", headers=other.control).status_code == 401
    assert one.url != other.url


def test_both_addresses_of_localhost_answer(start):
    service = start()
    port = int(service.url.rpartition(":")[2])

    for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
        with socket.socket(family) as probe:
            try:
                probe.connect((address, port))
            except OSError:
                # A machine without IPv6 has one address.
                assert family == socket.AF_INET6


def test_the_second_one_migrates_nothing(start, tmp_path):
    first = start()
    (template,) = (tmp_path / "cache" / "authservice").iterdir()
    made = template.stat()
    first.stop()

    start()

    (again,) = (tmp_path / "cache" / "authservice").iterdir()
    assert again == template
    assert (again.stat().st_mtime_ns, again.stat().st_ino) == (made.st_mtime_ns, made.st_ino)
    assert stat.S_IMODE(made.st_mode) == 0o600


def test_a_database_that_is_named_stays(start, tmp_path):
    arguments = ("--port", "0", "--database", "kept/local.sqlite", "--print-json")
    first = start(*arguments)
    kids = first.get("/api/auth/jwks").json()
    first.stop()

    second = start(*arguments)

    assert second.get("/api/auth/jwks").json() == kids
    assert second.control_token == first.control_token
    assert (tmp_path / "kept" / "local.sqlite").is_file()


def test_settings_of_an_ini_file_count(start, tmp_path):
    ini = tmp_path / "my.ini"
    ini.write_text("[app:main]\nuse = egg:authservice\nauth.mode = local\nlifetimes.code = 7\n")

    service = start(*TEMPORARY, "--config", str(ini))

    assert service.get("/api/health").status_code == 200


def test_an_ini_file_of_production_is_refused(tmp_path):
    ini = tmp_path / "my.ini"
    ini.write_text("[app:main]\nuse = egg:authservice\nauth.mode = production\n")

    status, said = refused(tmp_path, *TEMPORARY, "--config", str(ini))

    assert status == 1
    assert said.endswith("its auth.mode is production\n")


def test_a_port_that_is_taken_is_named(tmp_path):
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        port = holder.getsockname()[1]

        status, said = refused(tmp_path, "--port", str(port), "--database", ":temporary:")

    assert status == 1
    assert f"cannot listen on localhost:{port}" in said
    assert "--port" in said


def test_a_port_that_is_none_is_refused(subtests, tmp_path):
    for port in ("-1", "65536", "http", "1.5", ""):
        with subtests.test(port=port):
            status, said = refused(tmp_path, "--port", port)
            assert status == 2
            assert "--port" in said
