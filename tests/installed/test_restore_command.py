"""``authservice restore``: what comes back, what does not, and what is refused."""

import json
import re
import shutil
import signal
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import select

from authservice.cli import main as authservice
from authservice.database import schema
from authservice.database.database import Database
from authservice.database.revision import REVISION
from authservice.models import oauth_consent
from tests.helpers.browser import Browser
from tests.helpers.expired import notices
from tests.helpers.processes import LocalService
from tests.helpers.relying_party import RelyingParty

pytestmark = [pytest.mark.engines("sqlite"), pytest.mark.usefixtures("found_by_commands")]


@pytest.fixture
def run(database, capsys):
    """Run a command as if it were another process, which has nothing open."""

    def command(*arguments):
        database.dispose()
        authservice(list(arguments))
        return capsys.readouterr().out

    return command


@pytest.fixture
def refused(database, capsys):
    def command(*arguments):
        database.dispose()
        before = Path(database.url.database).read_bytes()
        with pytest.raises(SystemExit) as stop:
            authservice(["restore", *arguments])
        assert Path(database.url.database).read_bytes() == before
        assert [each for each in Path().iterdir() if each.name.startswith("test.sqlite.")] == []
        assert capsys.readouterr().out == ""
        message = str(stop.value.code)
        assert "\n" not in message
        return message.removeprefix("authservice: ")

    return command


class Served:
    """A service, a person and a client, which can be gone and come back."""

    def __init__(self, make_app, database):
        self._make_app = make_app
        self._app = make_app()
        self.browser = Browser(self._app)
        self.client = RelyingParty.registered(
            self._app, database, backchannel_logout_uri="https://app.example.com/logout"
        )

    def stop(self):
        self._app.registry.components.close()

    def start(self):
        self._app = self._make_app()
        # Whatever becomes of a notice, it is there to be looked at.
        self._app.registry.components.backchannel_logout.stop()
        cookies, self.browser = self.browser.cookies, Browser(self._app)
        for name, value in cookies.items():
            self.browser.set_cookie(name, value)
        self.client.http = Browser(self._app)


@pytest.fixture
def served(make_app, database):
    return Served(make_app, database)


def test_the_database_is_as_it_was_and_the_former_one_is_kept(database, run, tmp_path):
    run("backup", "b")
    with sqlite3.connect("test.sqlite") as connection:
        connection.execute("INSERT INTO verification VALUES ('x', 'x', 'v', 1, 1, 1)")
    connection.close()

    said = run("restore", "b").splitlines()

    (kept,) = [each for each in tmp_path.iterdir() if ".before-" in each.name]
    assert re.fullmatch(r"test\.sqlite\.before-[0-9]{8}T[0-9]{6}Z", kept.name)
    assert said == [
        f"{tmp_path}/test.sqlite: restored, revision {REVISION}",
        f"{kept}: the database as it was before",
        "All people are signed out, and every token is revoked.",
    ]
    for file, expected in ((tmp_path / "test.sqlite", 0), (kept, 1)):
        connection = sqlite3.connect(file)
        assert connection.execute("SELECT count(*) FROM verification").fetchone() == (expected,)
        connection.close()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["b", "test.sqlite", kept.name]


def test_it_says_so_in_json(run, tmp_path):
    run("backup", "b")

    said = json.loads(run("restore", "b", "--keep-sessions", "--json"))

    assert said.pop("kept_as").startswith(f"{tmp_path}/test.sqlite.before-")
    assert said == {
        "database": f"{tmp_path}/test.sqlite",
        "revision": REVISION,
        "signed_out": False,
    }


def test_onto_an_empty_machine(database, run, tmp_path):
    run("backup", "b")
    (tmp_path / "test.sqlite").unlink()

    said = json.loads(run("restore", "b", "--json"))

    assert said["kept_as"] is None
    assert schema.is_migrated(database.reader)


@pytest.mark.attack("TOKENS-replay-backup")
def test_what_was_spent_since_the_backup_does_not_come_back(served, run, database):
    tokens = served.client.redeem(served.client.sign_in_with(served.browser)).json
    code = served.client.sign_in_with(served.browser)
    served.stop()
    run("backup", "b")
    served.start()
    # A client uses the token and the code, and the person signs out.
    assert served.client.refresh(tokens["refresh_token"]).status_int == 200
    assert served.client.redeem(code).status_int == 200
    served.browser.post_json("/api/auth/sign-out", {}, headers={"Origin": served.browser.origin})
    served.stop()

    run("restore", "b")

    served.start()
    assert served.browser.session() is None
    assert served.client.redeem(code).json["error"] == "invalid_grant"
    assert served.client.refresh(tokens["refresh_token"]).json["error"] == "invalid_grant"
    assert served.client.userinfo(tokens["access_token"]).status_int == 401
    assert [client_id for _, client_id in notices(database)] == [served.client.client_id]
    # What the person allowed and who they are has come back.
    assert len(database.reader.execute(select(oauth_consent)).all()) == 1
    again = served.client.redeem(served.client.sign_in_with(served.browser)).json
    assert served.client.userinfo(again["access_token"]).json["sub"] == "local-developer"


def test_people_stay_signed_in_where_nothing_has_happened_since(served, run):
    tokens = served.client.redeem(served.client.sign_in_with(served.browser)).json
    served.stop()
    run("backup", "b")

    run("restore", "b", "--keep-sessions")

    served.start()
    assert served.browser.session()["user"]["id"] == "local-developer"
    assert served.client.userinfo(tokens["access_token"]).status_int == 200
    assert served.client.refresh(tokens["refresh_token"]).status_int == 200


def test_an_older_backup_is_brought_up_to_date(run, database, tmp_path):
    older = Database(f"sqlite:///{tmp_path}/older")
    schema.migrate(older, "1001")
    older.dispose()

    run("restore", "older")

    assert schema.is_migrated(database.reader)


def test_a_newer_backup_is_refused(refused, tmp_path):
    shutil.copy("test.sqlite", "newer")
    with sqlite3.connect("newer") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()

    assert refused("newer") == (
        "newer cannot be restored: its revision 9999 does not serve this version of the service,"
        f" which is made for {REVISION}; nothing was changed"
    )


def test_what_is_no_backup_is_refused(refused):
    Path("dump").write_bytes(b"PGDMP" * 1000)

    assert refused("dump") == (
        "dump cannot be restored: file is not a database; nothing was changed"
    )
    assert refused("absent").startswith("absent cannot be restored: unable to open")


def test_one_whose_tables_are_not_those_of_its_revision_is_refused(refused):
    with sqlite3.connect("strange") as connection:
        connection.execute("CREATE TABLE alembic_version AS SELECT '1001' AS version_num")
    connection.close()

    assert refused("strange").startswith("strange cannot be restored: ")


def test_a_server_is_restored_by_its_own_program(refused, monkeypatch):
    url = "postgresql+psycopg://auth:hunter2@db.example.com/accounts"
    monkeypatch.setenv("AUTH_DATABASE_URL", url)

    message = refused("b.dump")

    assert (
        "pg_restore --clean --if-exists --no-owner --single-transaction"
        " --dbname=postgresql://auth@db.example.com/accounts b.dump"
    ) in message
    assert message.endswith("authservice sign-out-everyone")
    assert "hunter2" not in message


@pytest.fixture
def service(tmp_path):
    (tmp_path / "served").mkdir()
    started = LocalService(tmp_path / "served")
    started.command("authservice", "backup", str(tmp_path / "b"))
    yield started
    started.stop()


def test_while_a_service_runs_it_is_refused(service, monkeypatch, capsys):
    monkeypatch.setenv("AUTH_DATABASE_URL", service.env["AUTH_DATABASE_URL"])

    with pytest.raises(SystemExit) as stop:
        authservice(["restore", "b"])

    assert stop.value.code.endswith(
        "is in use; stop the service and whatever else has it open, then try again"
    )
    assert sorted(each.name for each in Path("served").iterdir() if ".before" in each.name) == []
    assert service.stop() == 0
    authservice(["restore", "b"])


def test_what_a_killed_service_left_behind_is_kept_and_not_mixed_in(service, monkeypatch):
    monkeypatch.setenv("AUTH_DATABASE_URL", service.env["AUTH_DATABASE_URL"])
    service.stop(signal.SIGKILL)
    assert Path("served/local.sqlite-wal").stat().st_size > 0

    authservice(["restore", "b"])

    assert [each.name for each in Path("served").glob("local.sqlite-*")] == []
    (kept,) = Path("served").glob("*.before-*Z")
    for file in (kept, Path("served/local.sqlite")):
        connection = sqlite3.connect(file)
        assert connection.execute("SELECT count(*) FROM jwks").fetchone() == (3,)
        connection.close()
