"""A database from before the first release: at the last revision it is taken over, else refused."""

import io
from pathlib import Path

import pytest
from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy import MetaData, inspect, text
from sqlalchemy.schema import CreateIndex, CreateTable

from authservice.cli import main as authservice
from authservice.database import schema
from authservice.database.database import Database
from authservice.database.revision import REVISION
from authservice.database.unreleased import TAKEN_OVER, UnreleasedSchemaError
from authservice.models import oauth_refresh_token
from tests.helpers.local_command import LocalCommand
from tests.helpers.relying_party import RelyingParty

pytestmark = pytest.mark.filterwarnings(
    # The one index on expressions is of a table that is not changed.
    "ignore:Skipped unsupported reflection:sqlalchemy.exc.SAWarning"
)

LOCAL = "[app:main]\nuse = egg:authservice\nauth.mode = {mode}\n"


def make_older(database):
    """Give a database what the last tables before the first release had beside those of 1.0."""
    with database.transaction() as connection:
        operations = Operations(MigrationContext.configure(connection))
        with operations.batch_alter_table("oauth_refresh_token") as table:
            table.alter_column("user_id", nullable=False)
        connection.execute(text("CREATE TABLE oauth_former_refresh_token (id TEXT)"))


def call(database, revision):
    """Note that the tables are at a revision."""
    with database.transaction() as connection:
        for change in (
            "UPDATE alembic_version SET version_num = :revision",
            "UPDATE schema_compatibility SET revision = :revision, works_since = '0014'",
        ):
            connection.execute(text(change), {"revision": revision})


def described(database):
    """Return the lines of the statements that would make the tables and indexes that there are."""
    found = MetaData()
    found.reflect(database.reader)
    statements = [
        statement
        for table in found.sorted_tables
        for statement in (CreateTable(table), *map(CreateIndex, table.indexes))
    ]
    # A database that copies a table may name its keys in another order.
    return sorted(
        f"{statement.element.name}: {line.strip(' ,')}"
        for statement in statements
        for line in str(statement.compile(database.writer)).expandtabs().splitlines()
    )


def test_the_last_one_is_taken_over_with_what_is_in_it(app, browser, database):
    now = described(database)
    make_older(database)
    client = RelyingParty.registered(app, database)
    tokens = client.redeem(client.sign_in_with(browser)).json
    schema.migrate(database, TAKEN_OVER)
    call(database, "0016")
    assert not schema.is_migrated(database.reader)
    assert described(database) != now

    assert schema.migrate(database) == REVISION

    assert schema.is_migrated(database.reader)
    assert described(database) == now
    columns = inspect(database.reader).get_columns(oauth_refresh_token.name)
    assert {each["name"]: each["nullable"] for each in columns}["user_id"]
    noted = database.reader.execute(text("SELECT * FROM schema_compatibility")).all()
    assert noted == [(REVISION, schema.works_since(REVISION))]
    assert client.userinfo(tokens["access_token"]).status_int == 200
    assert client.refresh(tokens["refresh_token"]).status_int == 200


def test_an_older_one_is_refused_by_the_name_of_the_commit_that_helps(subtests, database):
    before = described(database)
    for revision in ("0001", "0015"):
        with subtests.test(revision=revision):
            with database.transaction() as connection:
                set_to = {"revision": revision}
                change = "UPDATE alembic_version SET version_num = :revision"
                connection.execute(text(change), set_to)

            with pytest.raises(UnreleasedSchemaError) as refused:
                schema.migrate(database)

            assert str(refused.value).startswith(f"the database is at revision {revision}, from ")
            assert "commit 1121f12" in str(refused.value)
            assert described(database) == before


@pytest.fixture
def file(tmp_path, monkeypatch):
    """An SQLite file at an old revision, in a folder with the ini files of both modes."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("AUTH_DATABASE_URL", raising=False)
    for mode in ("local", "production"):
        ini = LOCAL.format(mode=mode) + "auth.database_url = sqlite:///old.sqlite\n"
        Path(f"{mode}.ini").write_text(ini, encoding="utf-8")
    old = Database("sqlite:///old.sqlite")
    schema.migrate(old)
    with old.transaction() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0009'"))
    old.dispose()
    return Path("old.sqlite")


@pytest.mark.engines("sqlite")
def test_local_mode_keeps_an_older_one_under_another_name(file, capsys):
    before = file.read_bytes()

    authservice(["migrate", "--config", "local.ini"])

    (kept,) = Path().glob("old.sqlite.before-*Z")
    assert kept.read_bytes() == before
    said = capsys.readouterr().err
    assert f"It is at revision 0009, from before the first release, and is kept as {kept}" in said
    assert said.endswith(f"\nThe database is at revision {REVISION}.\n")
    fresh = Database(f"sqlite:///{file}")
    assert schema.is_migrated(fresh.reader)
    fresh.dispose()


@pytest.mark.engines("sqlite")
def test_so_does_the_command_that_serves_it(file, tmp_path):
    service = LocalCommand(tmp_path, "--port", "0", "--database", str(file), "--print-json")
    assert service.get("/api/ready").status_code == 200
    _, _, said = service.stop()

    (kept,) = tmp_path.glob("old.sqlite.before-*Z")
    assert f"is kept as {kept}. Local mode begins with a new one" in said


@pytest.mark.engines("sqlite")
def test_going_back_from_there_is_asked_for_as_from_anywhere(file, monkeypatch):
    old = Database(f"sqlite:///{file}")
    make_older(old)
    call(old, "0016")
    old.dispose()
    monkeypatch.setattr("sys.stdin", io.StringIO(""))

    with pytest.raises(SystemExit, match="not confirmed, so nothing was written"):
        authservice(["migrate", "--config", "production.ini", "--revision", "1001"])

    old = Database(f"sqlite:///{file}")
    assert schema.revision(old.reader) == "0016"
    old.dispose()


@pytest.mark.engines("sqlite")
def test_production_does_not(file):
    before = file.read_bytes()

    with pytest.raises(SystemExit, match="is at revision 0009, from before the first release"):
        authservice(["migrate", "--config", "production.ini"])

    assert file.read_bytes() == before
    assert not list(Path().glob("*.before-*"))
