"""A writing transaction is an object: anyone who holds it ends it, and nothing else knows of it."""

import threading
from contextlib import suppress

import pytest
from sqlalchemy import insert, select, text
from sqlalchemy.exc import IntegrityError, ResourceClosedError

from authservice import clock
from authservice.events import SignedIn
from authservice.models import verification
from tests.helpers.refusing_database import allow, refuse

SIGNED_IN = SignedIn(sub="u", sid="s", provider="p", new_user=False)


def row(row_id):
    now = clock.now()
    return {"id": row_id, "identifier": row_id, "value": "v", "expires_at": now, "created_at": now}


def put(transaction, row_id):
    transaction.connection.execute(insert(verification), row(row_id))


def stored(database):
    return set(database.reader.scalars(select(verification.c.id)))


def in_another_thread(do):
    thread = threading.Thread(target=do)
    thread.start()
    thread.join()


@pytest.fixture
def logged(caplog):
    caplog.set_level("INFO", "authservice.events")
    return lambda: [record.event for record in caplog.records if hasattr(record, "event")]


def test_another_thread_may_write_in_it_and_commit_it(database, logged):
    transaction = database.begin()
    put(transaction, "here")

    in_another_thread(lambda: put(transaction, "there"))
    in_another_thread(lambda: transaction.note(SIGNED_IN))
    in_another_thread(transaction.commit)
    assert logged() == []
    in_another_thread(transaction.end)

    assert stored(database) == {"here", "there"}
    assert logged() == [SIGNED_IN]


def test_another_thread_may_roll_it_back(database, logged):
    transaction = database.begin()
    put(transaction, "here")
    transaction.note(SIGNED_IN)

    in_another_thread(transaction.end)

    assert stored(database) == set()
    assert logged() == []
    with database.begin() as following:
        put(following, "next")
    assert stored(database) == {"next"}
    assert logged() == []


def test_it_says_at_its_end_whether_it_was_committed(database):
    said = []
    with database.begin() as kept:
        kept.when_ended = said.append
    with suppress(ZeroDivisionError), database.begin() as given_up:
        given_up.when_ended = said.append
        raise ZeroDivisionError
    with database.begin(dry_run=True) as tried:
        tried.when_ended = said.append

    assert said == [True, False, False]


def test_what_one_noted_is_not_that_of_the_next(database, logged):
    """Both have the same connection, one after the other."""
    with database.begin(dry_run=True) as first:
        first.note(SIGNED_IN)
    with database.begin():
        pass

    assert logged() == []


def test_one_follows_a_statement_that_failed(database):
    refuse(database, "INSERT", "verification")
    with pytest.raises(Exception, match="full"), database.begin() as failing:
        put(failing, "lost")
    allow(database, "verification")

    with database.begin() as following:
        put(following, "next")
    assert stored(database) == {"next"}


@pytest.mark.engines("sqlite")
def test_one_follows_a_commit_that_failed(database):
    waiting = (
        "CREATE TABLE referring (value TEXT"
        " REFERENCES verification(id) DEFERRABLE INITIALLY DEFERRED)"
    )
    with database.transaction() as connection:
        connection.execute(text(waiting))
    transaction = database.begin()
    put(transaction, "lost")
    transaction.connection.execute(text("INSERT INTO referring VALUES ('nobody')"))

    with pytest.raises(IntegrityError):
        transaction.commit()
    transaction.end()

    with database.begin() as following:
        put(following, "next")
    assert stored(database) == {"next"}


def test_nothing_is_written_on_its_connection_after_the_commit(database):
    """The connection may be in another's transaction by then."""
    transaction = database.begin()
    put(transaction, "kept")
    transaction.commit()
    with pytest.raises(ResourceClosedError):
        put(transaction, "late")
    transaction.end()

    with database.begin() as following:
        put(following, "next")
    assert stored(database) == {"kept", "next"}
