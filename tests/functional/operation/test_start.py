"""The start: what stops it with one line, what does not, and what it leaves alone."""

import re
import sys
from pathlib import Path

import pytest
from sqlalchemy import text

from authservice import main
from authservice.database.revision import REVISION
from tests.helpers.applications import LOCAL
from tests.helpers.browser import Browser
from tests.helpers.mounts import lost_sshfs
from tests.helpers.production import production_app, production_browser
from tests.unit.settings.loading import PRODUCTION_ENVIRON, PRODUCTION_INI, SECRET


def _refusal(**settings):
    ini = LOCAL | {name.replace("__", "."): value for name, value in settings.items()}
    with pytest.raises(SystemExit) as stop:
        main({}, **ini)
    return str(stop.value)


@pytest.fixture
def production(monkeypatch):
    # What an engine needs in local mode, production refuses.
    monkeypatch.delenv("AUTH_LOCAL_CONTROL_TOKEN", raising=False)
    for name, value in PRODUCTION_ENVIRON.items():
        monkeypatch.setenv(name, value)
    return PRODUCTION_INI


def test_a_configuration_that_cannot_be_used_stops_it():
    message = _refusal(auth__url="http://auth.example.com", auth__cookie_domain=".example.com")

    assert message.startswith("authservice: the configuration cannot be used:\n")
    assert "auth.url" in message
    assert "auth.cookie_domain" in message


def test_production_without_its_secrets_does_not_start(production, monkeypatch):
    monkeypatch.delenv("AUTH_SECRET")

    assert "AUTH_SECRET" in _refusal(**production)


def test_a_database_that_is_not_there_stops_it_and_is_not_made(tmp_path):
    message = _refusal(auth__database_url=f"sqlite:///{tmp_path}/absent.sqlite")

    assert message == (
        f"authservice: the database {tmp_path}/absent.sqlite is not migrated;"
        " run: authservice migrate --config local.ini"
    )
    assert list(tmp_path.iterdir()) == []


def test_an_empty_database_stops_it_and_stays_empty(tmp_path):
    file = tmp_path / "empty.sqlite"
    file.touch()

    assert "is not migrated" in _refusal(auth__database_url=f"sqlite:///{file}")
    assert file.stat().st_size == 0
    assert not (tmp_path / "empty.sqlite.secret").exists()


@pytest.mark.engines("sqlite")
def test_a_damaged_database_stops_it_with_the_mend(database_url, tmp_path):
    with (tmp_path / "test.sqlite").open("r+b") as file:
        file.write(bytes(100))

    assert _refusal(auth__database_url=database_url) == (
        "authservice: the database is damaged (file is not a database);"
        " restore a backup: authservice restore FILE --config local.ini"
    )


def test_production_names_its_own_file(production, tmp_path):
    message = _refusal(**production, auth__database_url=f"sqlite:///{tmp_path}/x.sqlite")

    assert message.endswith("authservice migrate --config production.ini")


def _set_revision(database, revision):
    with database.transaction() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = :r"), {"r": revision})


def test_a_database_of_an_older_version_stops_it(database, database_url):
    _set_revision(database, "1001")

    assert "is not migrated" in _refusal(auth__database_url=database_url)


def test_a_database_of_a_newer_version_stops_it(database, database_url):
    _set_revision(database, "9999")

    assert _refusal(auth__database_url=database_url) == (
        "authservice: the database is at revision 9999, which does not serve this version of the"
        f" service, made for {REVISION}; start a newer one"
    )


def test_unless_it_says_that_it_serves_this_one_too(database, make_app, caplog):
    _set_revision(database, "9999")
    with database.transaction() as connection:
        note = "UPDATE schema_compatibility SET revision = '9999', works_since = :since"
        connection.execute(text(note), {"since": REVISION})

    browser = Browser(make_app())

    browser.sign_in()
    assert "the database is at revision 9999, of a newer version" in caplog.text


def test_production_refuses_a_network_file_system(production, tmp_path):
    (tmp_path / "mounted").mkdir()
    with lost_sshfs(tmp_path / "mounted") as folder:
        message = _refusal(**production, auth__database_url=f"sqlite:///{folder}/a.sqlite")

    assert message == (
        "authservice: the database lies on fuse.sshfs, a network file system, where SQLite's locks"
        " do not hold and data can be lost; put it on a local disk, or use PostgreSQL"
    )


def test_local_mode_warns_of_one(tmp_path, caplog):
    (tmp_path / "mounted").mkdir()
    with lost_sshfs(tmp_path / "mounted") as folder:
        message = _refusal(auth__database_url=f"sqlite:///{folder}/a.sqlite")

    assert "is not migrated" in message
    assert "the database lies on fuse.sshfs" in caplog.text


def _user(database, user_id, provider_id):
    with database.transaction() as connection:
        connection.execute(
            text(
                'INSERT INTO "user" (id, name, email, email_verified, created_at, updated_at)'
                " VALUES (:id, 'N', :id || '@x.example', 1, 0, 0)"
            ),
            {"id": user_id},
        )
        connection.execute(
            text(
                "INSERT INTO account (id, account_id, provider_id, user_id, created_at, updated_at)"
                " VALUES (:id, '1', :provider, :id, 0, 0)"
            ),
            {"id": user_id, "provider": provider_id},
        )


@pytest.mark.parametrize("provider", ["github", "corporate"])
def test_local_mode_refuses_the_accounts_of_real_people(database, database_url, provider):
    _user(database, "u1", provider)

    message = _refusal(auth__database_url=database_url)

    assert message.startswith("authservice: local mode refuses this database")
    assert "\n" not in message
    assert not Path(f"{database.url.database}.secret").exists()


def test_local_mode_takes_a_database_of_its_own(database, make_app):
    _user(database, "local-developer", "local-developer")

    assert Browser(make_app()).get("/api/health").status_int == 200


def test_production_refuses_the_one_click_account(database, database_url, production):
    _user(database, "local-developer", "local-developer")

    message = _refusal(**production, auth__database_url=database_url)

    assert message.startswith("authservice: production refuses this database")
    assert "\n" not in message


def test_production_takes_the_accounts_of_real_people(database, make_app, monkeypatch):
    _user(database, "u1", "github")

    app = production_app(make_app, monkeypatch)

    assert production_browser(app).get("/api/health").status_int == 200


@pytest.fixture
def unreachable(engine, tmp_path, monkeypatch):
    """Give the address of a database that cannot be opened before the engine mends it."""
    for name, value in engine.local_environ.items():
        monkeypatch.setenv(name, value)
    url = engine.unreachable(tmp_path)
    yield url
    engine.drop(url)


def test_an_unreachable_database_does_not_stop_it(make_app, unreachable, caplog):
    browser = Browser(make_app(auth__database_url=unreachable))

    assert browser.get("/api/health").json["status"] == "ok"
    assert browser.get("/api/auth/get-session").body == b"null"
    assert "cannot be reached" in caplog.text


def test_meanwhile_what_needs_the_database_says_try_again(make_app, unreachable):
    browser = Browser(make_app(auth__database_url=unreachable))
    form = browser.get("/sign-in").forms[0]

    keys = browser.get("/api/auth/jwks", expect_errors=True)
    tokens = browser.post("/api/auth/oauth2/token", {"client_id": "x"}, expect_errors=True)
    page = form.submit("choice", value="sign-in", expect_errors=True)

    for answer in (keys, tokens, page):
        assert answer.status_int == 503
        assert answer.headers["Retry-After"] == "5"
        assert unreachable.rpartition("/")[2] not in answer.text
    assert keys.json["code"] == "SERVICE_UNAVAILABLE"
    assert tokens.json["error"] == "temporarily_unavailable"
    assert "Please try again" in page.text


def test_meanwhile_a_request_is_a_line_of_the_log(make_app, unreachable, caplog):
    app = make_app(auth__database_url=unreachable)
    # While another thread asks, a request is told of that thread and not of the cause.
    app.registry.components.backchannel_logout.stop()
    app.registry.components.upkeep.stop()
    browser = Browser(app)

    browser.post("/api/auth/oauth2/token", {"client_id": "x"}, expect_errors=True)

    (said,) = [each for each in caplog.records if "cannot answer" in each.getMessage()]
    assert re.search(
        r"OperationalError: .*(unable to open|does not exist|was not reached)", said.getMessage()
    )
    assert said.exc_info is None


def test_it_comes_back_by_itself(make_app, engine, unreachable):
    browser = Browser(make_app(auth__database_url=unreachable))
    assert browser.get("/api/auth/jwks", expect_errors=True).status_int == 503

    engine.repair(unreachable)

    assert len(browser.get("/api/auth/jwks").json["keys"]) == 1
    browser.sign_in()
    assert browser.session()["user"]["id"] == "local-developer"


def test_a_server_that_refuses_connections_does_not_stop_it(make_app, monkeypatch):
    monkeypatch.setenv("AUTH_SECRET", SECRET)
    url = "postgresql+psycopg://nobody@127.0.0.1:9/none?connect_timeout=2"

    browser = Browser(make_app(auth__database_url=url))

    assert browser.get("/api/health").json["status"] == "ok"
    assert browser.get("/api/auth/jwks", expect_errors=True).status_int == 503


def test_without_the_driver_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.delitem(sys.modules, "authservice.database.postgresql.replies", raising=False)
    monkeypatch.setenv("AUTH_SECRET", SECRET)

    message = _refusal(auth__database_url="postgresql+psycopg://u@db.example.com/auth")

    assert message == (
        "authservice: the driver for PostgreSQL is not installed;"
        " run: pip install 'authservice[postgresql]'"
    )


def test_an_empty_database_of_a_server_stops_it(empty, engine, monkeypatch):
    for name, value in engine.local_environ.items():
        monkeypatch.setenv(name, value)
    with empty.transaction() as connection:
        connection.execute(text("SELECT 1"))

    message = _refusal(auth__database_url=empty.url.render_as_string(hide_password=False))

    assert message == (
        f"authservice: the database {empty.address} is not migrated;"
        " run: authservice migrate --config local.ini"
    )


@pytest.mark.engines("postgresql")
def test_a_role_without_rights_stops_it_with_the_reason(database, database_url):
    with database.transaction() as connection:
        connection.execute(text("DROP ROLE IF EXISTS stranger"))
        connection.execute(text("CREATE ROLE stranger LOGIN"))

    message = _refusal(auth__database_url=database_url.replace("tests@", "stranger@"))

    assert message == (
        "authservice: the database refuses what is needed:"
        " permission denied for table alembic_version"
    )


def test_production_writes_no_secret_file(make_app, monkeypatch, database):
    production_app(make_app, monkeypatch)

    assert not Path(f"{database.url.database}.secret").exists()
