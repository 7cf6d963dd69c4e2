"""The clean-up: what it deletes, what it leaves, and that it never reads a whole table."""

import sqlite3
import threading
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import event, select, update

from authservice import clock
from authservice.models import (
    oauth_client,
    oauth_refresh_token,
    session,
    session_participant,
    user,
)
from authservice.services.admission import stored_events
from authservice.services.tokens import verifications
from authservice.services.upkeep import cleanup
from authservice.services.upkeep.cleanup import CleanUp
from tests.helpers.expired import count_sealed_successors, counts, fill, notices

ONE_SIGN_IN = {
    "access_tokens": 3,
    "sessions": 1,
    "refresh_tokens": 1,
    "verifications": 1,
    "removed_accounts": 1,
    "provider_events": 1,
    "fetched_keys": 1,
}
NOTHING = dict.fromkeys(ONE_SIGN_IN, 0)


@pytest.fixture
def clean_up(database):
    """Give the clean-up; it returns what it deleted but successors, which are values of a row."""

    def run():
        deleted = CleanUp(database, threading.Event()).run()
        erased.append(deleted.pop("sealed_successors"))
        return deleted

    run.erased = erased = []
    return run


@pytest.mark.attack("RFC6819-4.4.1.11")
def test_it_deletes_what_is_over_and_leaves_what_is_not_yet(database, clean_up, turnable_clock):
    fill(database, 1)
    fill(database, 2, over=False)

    assert clean_up() == ONE_SIGN_IN
    assert counts(database) == {name: 2 * number for name, number in ONE_SIGN_IN.items()}
    assert clean_up() == NOTHING

    turnable_clock.advance(minutes=1)
    assert clean_up() == {name: 2 * number for name, number in ONE_SIGN_IN.items()}
    assert counts(database) == NOTHING


@pytest.mark.attack("EXHAUSTION-disk")
def test_what_strangers_have_begun_is_gone_an_hour_after_it_is_over(
    database, clean_up, turnable_clock
):
    with database.transaction() as connection:
        verifications.put(connection, "sign-in:x", "sealed", clock.now() + timedelta(minutes=10))

    turnable_clock.advance(minutes=69)
    assert clean_up()["verifications"] == 0
    turnable_clock.advance(minutes=2)
    assert clean_up()["verifications"] == 1


@pytest.mark.attack("ADMISSION-event-replayed")
def test_an_event_of_the_provider_is_known_for_thirty_days(database, clean_up, turnable_clock):
    with database.transaction() as connection:
        stored_events.store(connection, "a body", first={}, again={})

    turnable_clock.advance(days=30, seconds=-1)
    assert clean_up()["provider_events"] == 0
    turnable_clock.advance(seconds=2)
    assert clean_up()["provider_events"] == 1


@pytest.mark.engines("sqlite")
def test_it_moves_what_it_has_changed_into_the_file_itself(database, clean_up):
    fill(database, 1)
    database.checkpoint()
    file = Path(database.url.database).as_uri()

    def rows_in_the_file():
        with closing(sqlite3.connect(f"{file}?immutable=1", uri=True)) as connection:
            return connection.execute("SELECT count(*) FROM oauth_access_token").fetchone()[0]

    assert rows_in_the_file() == 3

    clean_up()

    assert rows_in_the_file() == 0


def test_people_and_clients_stay(database, clean_up):
    fill(database, 2)

    clean_up()

    for table in (user, oauth_client):
        assert len(database.reader.execute(select(table)).all()) == 2


def test_clients_are_told_of_a_session_that_nobody_ended(database, clean_up):
    fill(database, 1, told=True)
    expected = database.reader.execute(
        select(session_participant.c.session_id, session_participant.c.client_id)
    ).one()

    clean_up()

    assert notices(database) == [tuple(expected)]


def test_a_family_stays_while_its_token_lives(database, clean_up):
    fill(database, 1, rotations=5)
    later = clock.now() + timedelta(days=1)
    with database.transaction() as connection:
        connection.execute(update(oauth_refresh_token).values(expires_at=later))

    assert clean_up()["refresh_tokens"] == 0
    left = database.reader.execute(select(oauth_refresh_token.c.session_id)).all()
    # It outlives its session.
    assert left == [(None,)]


def test_many_rows_of_one_family_or_session_take_many_small_transactions(
    database, clean_up, monkeypatch
):
    monkeypatch.setattr(cleanup, "_MOST_ROWS", 4)
    monkeypatch.setattr(cleanup, "_FIRST_ROWS", 4)
    fill(database, 1, rotations=49)
    written = []

    @event.listens_for(database.writer, "before_cursor_execute")
    def count(connection, cursor, statement, parameters, context, many):
        if statement.startswith(("UPDATE", "DELETE")):
            written.append(len(parameters))

    assert clean_up()["refresh_tokens"] == 1
    assert counts(database) == NOTHING
    assert max(written) <= 5
    assert len(written) > 50 // 4


def test_a_disk_that_is_slow_to_commit_makes_no_transaction_smaller(database, monkeypatch):
    fill(database, 400)
    moment = 0.0
    commits = []

    def elapsed():
        nonlocal moment
        moment += 0.001
        return moment

    @event.listens_for(database.writer, "commit")
    def commit_slowly(_connection):
        nonlocal moment
        moment += 1
        commits.append(moment)

    monkeypatch.setattr(cleanup, "monotonic", elapsed)
    ended = threading.Event()
    monkeypatch.setattr(ended, "wait", lambda _seconds: None)

    assert CleanUp(database, ended).run()["access_tokens"] == 1200
    # By halves they would have become as small as one row.
    assert len(commits) < 20


def test_it_stops_when_it_is_told_to(database):
    fill(database, 20)
    ended = threading.Event()
    event.listen(database.writer, "commit", lambda _connection: ended.set())

    deleted = CleanUp(database, ended).run()

    assert 0 < deleted["access_tokens"] <= 60
    assert deleted["sessions"] == 0


# sqlite_stat1 is empty in a new database too: the plan has to be right without.
@pytest.mark.engines("sqlite")
def test_no_statement_reads_a_whole_table(database, clean_up):
    fill(database, 3, told=True)
    statements = {}
    for engine in (database.writer, database.reader.engine):

        @event.listens_for(engine, "before_cursor_execute")
        def remember(connection, cursor, statement, parameters, context, many):
            if not many and statement.startswith(("SELECT", "UPDATE", "DELETE")):
                statements[statement] = parameters

    clean_up()

    assert len(statements) > 15
    for statement, parameters in statements.items():
        raw = database.reader.connection.dbapi_connection
        plan = [row[3] for row in raw.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)]
        assert not [step for step in plan if step.startswith("SCAN")], (statement, plan)


def test_a_sealed_successor_is_erased_once_nobody_may_ask_for_it_again(
    database, clean_up, turnable_clock
):
    turnable_clock.advance(days=-2)
    fill(database, 3, rotations=2, over=False)
    turnable_clock.advance(days=2)
    rotated_at = clock.now() - timedelta(minutes=59)
    with database.transaction() as connection:
        connection.execute(update(oauth_refresh_token).values(expires_at=clock.now()))
        connection.execute(update(oauth_refresh_token).values(rotated_at=rotated_at))

    clean_up()
    assert count_sealed_successors(database) == 3

    turnable_clock.advance(minutes=1)
    clean_up()
    assert count_sealed_successors(database) == 0
    assert clean_up.erased == [0, 3]


def test_a_session_that_was_extended_meanwhile_is_left_alone(database, clean_up):
    """Another process extends it between the search and the deletion."""
    fill(database, 1)

    @event.listens_for(database.writer, "begin")
    def extend(connection):
        later = clock.now() + timedelta(days=7)
        connection.execute(update(session).values(expires_at=later))

    assert clean_up()["sessions"] == 0
    kept = database.reader.scalars(select(session.c.id)).all()
    tokens = database.reader.scalars(select(oauth_refresh_token.c.session_id)).all()
    assert tokens == kept * len(tokens)
