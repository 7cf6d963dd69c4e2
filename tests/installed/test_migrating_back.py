"""``authservice migrate --revision``: to older tables only on purpose, and beside no service."""

import io
import signal

import pytest
from sqlalchemy import text

from authservice.cli import main as authservice
from authservice.database import schema
from authservice.database.database import Database
from authservice.database.revision import REVISION
from tests.helpers.processes import SCRIPTS, LocalService, finished

OLDER = "1001"

pytestmark = [
    pytest.mark.engines("sqlite", "postgresql"),
    pytest.mark.usefixtures("found_by_commands"),
]


@pytest.fixture
def migrate(database, capsys, monkeypatch):
    """Run the command as another process, which has nothing open; gives what it says."""

    def command(*arguments, answer=""):
        database.dispose()
        monkeypatch.setattr("sys.stdin", io.StringIO(answer))
        try:
            authservice(["migrate", *arguments])
        except SystemExit as stop:
            return str(stop.code)
        return capsys.readouterr().err

    return command


def revision(database_url):
    opened = Database(database_url)
    found = schema.revision(opened.reader)
    opened.dispose()
    return found


def test_without_a_yes_nothing_goes_back(subtests, migrate, database_url):
    for answer in ("", "no\n", "y\n"):
        with subtests.test(answer=answer):
            # The row before may have gone back.
            migrate()
            said = migrate("--revision", OLDER, answer=answer)
            assert "not confirmed, so nothing was written" in said
            assert revision(database_url) == REVISION


def test_with_one_it_goes_back(subtests, migrate, database_url):
    for more, answer in (([], "yes\n"), (["--yes"], "")):
        with subtests.test(more=more, answer=answer):
            migrate()
            said = migrate("--revision", OLDER, *more, answer=answer)
            assert said.endswith(f"The database is at revision {OLDER}.\n")
            assert revision(database_url) == OLDER


def test_forward_nobody_is_asked(migrate, database_url):
    migrate("--revision", OLDER, "--yes")

    migrate()

    assert revision(database_url) == REVISION


def test_tables_of_no_noted_revision_are_left_alone(subtests, migrate, database):
    for lost in ("DELETE FROM alembic_version", "DROP TABLE alembic_version"):
        with subtests.test(lost=lost):
            with database.transaction() as connection:
                connection.execute(text(lost))

            said = migrate()

            assert said == (
                "authservice: the database has a table user, and its alembic_version names no"
                " revision to migrate from; restore a backup of it, or name an empty database"
            )


def test_it_does_not_go_back_while_a_service_runs(engine, database, database_url, tmp_path):
    database.dispose()
    back = [SCRIPTS / "authservice", "migrate", "--revision", OLDER, "--yes"]
    environ = engine.local_environ | {"AUTH_DATABASE_URL": database_url}

    service = LocalService(tmp_path, AUTH_DATABASE_URL=database_url, **engine.local_environ)
    try:
        refused = finished(back, env=environ)
        assert refused.returncode == 1
        assert "the database is in use" in refused.stderr
        assert revision(database_url) == REVISION
    finally:
        service.stop(signal.SIGTERM)

    assert finished(back, env=environ).returncode == 0
    assert revision(database_url) == OLDER


def test_a_service_that_starts_while_the_question_waits_keeps_its_tables(
    engine, database, database_url, tmp_path, monkeypatch, capsys
):
    database.dispose()
    started = []

    class Answer:
        def readline(self):
            environ = engine.local_environ | {"AUTH_DATABASE_URL": database_url}
            started.append(LocalService(tmp_path, **environ))
            return "yes\n"

    monkeypatch.setattr("sys.stdin", Answer())
    try:
        with pytest.raises(SystemExit) as stop:
            authservice(["migrate", "--revision", OLDER])
        assert "the database is in use" in str(stop.value.code)
    finally:
        started[0].stop()
    assert revision(database_url) == REVISION
