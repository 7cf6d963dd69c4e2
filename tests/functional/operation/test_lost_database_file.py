"""A database file that is deleted, replaced or damaged below a running service: nobody is told
that anything was done in it.
"""

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DatabaseError, OperationalError

from authservice.database.database import Database
from authservice.database.sqlite import database_file
from authservice.database.sqlite.database_file import DatabaseFile
from tests.helpers.browser import Browser
from tests.helpers.waiting import until

pytestmark = pytest.mark.engines("sqlite")

READY = "/api/ready"
COUNT = text("SELECT count(*) FROM jwks")
# Any change will do.
CHANGE = text("CREATE TABLE IF NOT EXISTS change (value TEXT)")
ROW = text("INSERT INTO change VALUES ('x')")


@pytest.fixture
def file(database):
    return Path(database.url.database)


def sign_in(browser):
    """Return the answer of any status to a browser that begins to sign in."""
    page = browser.get("/sign-in", expect_errors=True)
    if page.status_int != 200:
        return page
    return page.forms[0].submit("choice", value="sign-in", expect_errors=True)


def delete(file):
    for suffix in ("", "-wal", "-shm"):
        Path(f"{file}{suffix}").unlink(missing_ok=True)


def replace(file):
    other = file.with_name("other.sqlite")
    with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(other)) as target:
        source.backup(target)
    other.replace(file)


def replace_in_a_hurry(file):
    """Put a copy there, as who restores a backup by hand would."""
    shutil.copy(file, file.with_name("copy"))
    delete(file)
    file.with_name("copy").replace(file)


WAYS = [delete, replace, replace_in_a_hurry]


def overwrite(file, begin, length):
    with file.open("r+b") as opened:
        opened.seek(begin)
        opened.write(b"\xa5" * length)


@pytest.mark.attack("MACHINE-lost-file")
@pytest.mark.parametrize("lose", WAYS)
def test_nothing_is_acknowledged_in_a_file_that_is_lost(app, file, lose, caplog):
    assert sign_in(Browser(app)).status_int == 303
    browsers = [Browser(app) for _ in range(40)]
    pages = [browser.get("/sign-in") for browser in browsers]
    lose(file)

    answers = [
        page.forms[0].submit("choice", value="sign-in", expect_errors=True) for page in pages
    ]

    assert {answer.status_int for answer in answers} == {503}
    ready = browsers[0].get(READY, expect_errors=True)
    assert ready.status_int == 503
    assert ready.json["status"] == "unavailable"
    assert "authservice restore" in ready.json["conditions"]["database_file_lost"]
    said = [each.getMessage() for each in caplog.records if "acknowledged" in each.getMessage()]
    assert len(said) == 1
    assert str(file) in said[0]
    assert "authservice restore" in said[0]
    # There is no empty one in its place.
    assert file.exists() is (lose is not delete)


@pytest.mark.attack("MACHINE-lost-file")
@pytest.mark.parametrize("lose", WAYS)
def test_readiness_notices_by_itself_and_then_nobody_reads_either(app, database, file, lose):
    browser = Browser(app)
    assert browser.get(READY).status_int == 200
    lose(file)

    assert browser.get(READY, expect_errors=True).status_int == 503
    components = app.registry.components
    for _ in range(2):
        with pytest.raises(OperationalError):
            components.database.reader.execute(COUNT)


def test_a_file_that_was_only_moved_serves_on_when_it_is_back(app, file, caplog):
    browser = Browser(app)
    assert browser.get(READY).status_int == 200
    away = file.with_name("away")
    file.rename(away)
    assert browser.get(READY, expect_errors=True).status_int == 503

    away.rename(file)

    assert sign_in(Browser(app)).status_int == 303
    assert browser.get(READY).json["conditions"] == {}
    assert f"the database file {file} is back" in caplog.text


@pytest.mark.attack("MACHINE-lost-file")
@pytest.mark.parametrize(
    "damage",
    [
        lambda file: overwrite(file, 0, 4096),
        lambda file: overwrite(file, 4096, file.stat().st_size - 4096),
        lambda file: overwrite(file, 0, file.stat().st_size),
        lambda file: os.truncate(file, 0),
        lambda file: os.truncate(file, file.stat().st_size // 2),
    ],
    ids=["beginning", "all but the beginning", "everything", "emptied", "cut"],
)
def test_a_damaged_file_is_noticed_and_nothing_acknowledged(app, file, damage):
    watched = app.registry.components.database
    assert sign_in(Browser(app)).status_int == 303
    watched.checkpoint()
    damage(file)

    # As the thread beside the requests does each second.
    until(lambda: watched.file.look_again() or watched.file.fault is not None)

    assert "is damaged" in watched.file.fault
    assert sign_in(Browser(app)).status_int == 503
    ready = Browser(app).get(READY, expect_errors=True)
    assert ready.status_int == 503
    assert "database_file_lost" in ready.json["conditions"]


@pytest.mark.attack("MACHINE-lost-file")
@pytest.mark.parametrize("kept", [0, 0.5])
def test_nothing_is_acknowledged_in_a_file_that_was_cut(database, file, kept):
    with database.transaction() as connection:
        connection.execute(CHANGE)
    database.checkpoint()
    with database.transaction() as connection:
        connection.execute(COUNT)

    os.truncate(file, int(kept * file.stat().st_size))

    with pytest.raises(DatabaseError), database.transaction() as connection:
        connection.execute(ROW)
    assert "is damaged" in database.file.fault


@pytest.mark.attack("MACHINE-lost-file")
def test_in_a_quiet_small_file_nothing_is_acknowledged_whatever_was_overwritten(
    database, file, monkeypatch
):
    with database.transaction() as connection:
        connection.execute(CHANGE)
    database.checkpoint()
    database.file.examine()
    monkeypatch.setattr(database_file, "_SECONDS_BETWEEN", 0)
    overwrite(file, 4096, file.stat().st_size - 4096)

    with pytest.raises(DatabaseError), database.transaction() as connection:
        connection.execute(ROW)
    assert "is damaged" in database.file.fault


def test_a_file_that_somebody_has_vacuumed_serves_on(database, file):
    with database.transaction() as connection:
        connection.execute(text("CREATE TABLE large AS SELECT zeroblob(1000000) AS content"))
    database.checkpoint()
    with database.transaction() as connection:
        connection.execute(text("DROP TABLE large"))
    before = file.stat().st_size
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("VACUUM")
    database.checkpoint()
    assert file.stat().st_size < before
    # As an examination of a large one takes.
    database.file._took = 5.0
    examined = database.file._examined

    with database.transaction() as connection:
        connection.execute(CHANGE)

    assert database.file.fault is None
    # While it has its turn nobody else writes.
    assert database.file._examined is examined


@pytest.mark.attack("MACHINE-lost-file")
def test_a_service_does_not_start_on_a_file_that_is_damaged_where_it_does_not_look(
    make_app, database, file
):
    with database.transaction() as connection:
        connection.execute(text("CREATE TABLE elsewhere (value TEXT)"))
        connection.execute(text("INSERT INTO elsewhere VALUES (hex(zeroblob(100000)))"))
    database.checkpoint()
    database.dispose()
    size = file.stat().st_size
    overwrite(file, size - 100_000, 50_000)

    with pytest.raises(SystemExit, match=r"the database is damaged .*authservice restore"):
        make_app()


def test_a_large_file_is_examined_while_the_service_runs(database, file):
    database.dispose()
    overwrite(file, 4096, file.stat().st_size - 4096)
    watched = DatabaseFile(str(file))
    watched.connected()

    # No time at all, as a second is for a large one.
    watched.examine_within(0)

    until(lambda: watched.fault is not None)
    with pytest.raises(OperationalError, match="is damaged"):
        watched.require()


def test_a_commit_asks_the_kernel_once_and_reading_nothing(database, monkeypatch):
    database.reader.execute(COUNT)
    with database.transaction() as connection:
        connection.execute(CHANGE)
    paths = []
    ask = os.stat

    def counted(path, *arguments, **options):
        paths.append(path)
        return ask(path, *arguments, **options)

    monkeypatch.setattr(database_file.os, "stat", counted)
    for _ in range(5):
        database.reader.execute(COUNT)
    assert paths == []

    with database.transaction() as connection:
        connection.execute(CHANGE)

    assert paths == [database.url.database]


def test_a_file_that_has_not_changed_is_not_examined_again(database, file):
    watched = DatabaseFile(str(file))
    watched.connected()
    watched.examine()
    examined = watched._examined

    watched.look_again()
    assert watched._examined is examined

    with database.transaction() as connection:
        connection.execute(CHANGE)
    database.checkpoint()
    until(lambda: watched.look_again() or watched._examined != examined)


def test_another_process_finds_its_own_file(database, file):
    replace(file)

    other = Database(str(database.url))
    with other.transaction() as connection:
        connection.execute(CHANGE)
    other.dispose()
