"""A database that local mode has served is never production's, whatever is left in it."""

import sqlite3
from contextlib import closing

import pytest

from authservice.cli import main as authservice
from authservice.models import user
from tests.helpers.control import Control
from tests.helpers.production import production_app

REFUSED = "production refuses this database: local mode has served it"


@pytest.fixture
def served(applications, database):
    """Local mode has started on the database, and has ended."""
    applications.end(applications.make(database))
    return database


@pytest.fixture
def starts_production(make_app, monkeypatch):
    return lambda: production_app(make_app, monkeypatch)


def test_production_starts_on_a_database_of_its_own(starts_production):
    assert starts_production()


@pytest.mark.attack("LOCAL-database")
def test_production_refuses_it_before_any_person_was_in_it(served, starts_production):
    with served.transaction() as connection:
        assert connection.execute(user.select()).all() == []

    with pytest.raises(SystemExit, match=REFUSED):
        starts_production()


@pytest.mark.attack("LOCAL-database")
def test_production_refuses_it_after_a_reset(applications, database, starts_production):
    app = applications.make(database)
    Control(app).post("reset")
    applications.end(app)

    with pytest.raises(SystemExit, match=REFUSED):
        starts_production()


@pytest.mark.attack("LOCAL-database")
def test_production_refuses_it_after_every_clean_up(
    served, starts_production, found_by_commands, turnable_clock
):
    turnable_clock.advance(days=365 * 1000)
    authservice(["cleanup"])
    turnable_clock.advance(days=-365 * 1000)

    with pytest.raises(SystemExit, match=REFUSED):
        starts_production()


@pytest.mark.attack("LOCAL-database")
def test_production_refuses_it_after_everyone_was_signed_out(
    served, starts_production, found_by_commands
):
    authservice(["sign-out-everyone"])

    with pytest.raises(SystemExit, match=REFUSED):
        starts_production()


@pytest.mark.engines("sqlite")
@pytest.mark.attack("LOCAL-database")
def test_a_backup_has_the_mark_too(served, found_by_commands, tmp_path):
    authservice(["backup", str(tmp_path / "copy.sqlite")])

    with closing(sqlite3.connect(tmp_path / "copy.sqlite")) as copy:
        marks = "SELECT count(*) FROM verification WHERE identifier = 'local-mode'"
        assert copy.execute(marks).fetchone() == (1,)


def test_local_mode_starts_on_it_again_and_again(served, applications):
    applications.end(applications.make(served))
    app = applications.make(served)
    assert Control(app).get("persons")
    applications.end(app)
