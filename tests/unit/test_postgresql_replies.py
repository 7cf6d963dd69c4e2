"""PostgreSQL that does not reply: no request waits long, few wait at all, and then it goes on."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import insert, select, text
from sqlalchemy.exc import OperationalError

from authservice.database.database import Database
from authservice.models import verification
from tests.helpers.verifications import a_row

pytestmark = pytest.mark.engines("postgresql")

PATIENCE = 1


@pytest.fixture
def impatient(database_url):
    opened = Database(f"{database_url}?connect_timeout=2", patience=PATIENCE)
    yield opened
    opened.dispose()


def count(database):
    return len(database.reader.execute(select(verification)).all())


def test_a_reply_is_waited_for_and_then_given_up(impatient):
    reader = impatient.reader
    with pytest.raises(OperationalError, match=r"did not reply within 1 seconds"):
        reader.execute(text("SELECT pg_sleep(60)"))

    assert impatient.reader is not reader
    assert count(impatient) == 0


def test_what_was_not_to_be_committed_by_then_never_is(impatient, postgresql):
    transaction = impatient.begin()
    connection = transaction.connection
    connection.execute(insert(verification), a_row())
    with postgresql.hanging(), pytest.raises(OperationalError, match="did not reply"):
        connection.execute(insert(verification), a_row("b"))
    transaction.end()

    with impatient.transaction() as connection:
        connection.execute(insert(verification), a_row())
    assert count(impatient) == 1


def test_a_reply_in_many_parts_may_take_longer(impatient):
    connection = impatient.reader
    slowly = text("SELECT repeat('x', 20000), pg_sleep(0.2) FROM generate_series(1, 7)")

    assert len(connection.execute(slowly).all()) == 7
    assert impatient.reader is connection


def test_a_server_that_hangs_is_asked_by_one_at_a_time(impatient, postgresql):
    with impatient.transaction() as connection:
        connection.execute(insert(verification), a_row())
    turned_away = threading.Event()

    def try_again():
        for _ in range(5):
            with pytest.raises(OperationalError) as caught:
                count(impatient)
            if "another thread tries again" in str(caught.value.orig):
                turned_away.set()
            if turned_away.is_set():
                return

    assert count(impatient) == 1
    with postgresql.hanging(), ThreadPoolExecutor(2) as others:
        with pytest.raises(OperationalError, match="did not reply"):
            count(impatient)
        # What was made before is given up too, so this one does not wait for a reply.
        with pytest.raises(OperationalError, match="timeout expired"):
            impatient.begin()
        for trying in [others.submit(try_again) for _ in range(2)]:
            trying.result()

    assert turned_away.is_set()
    assert count(impatient) == 1
    with impatient.transaction() as connection:
        connection.execute(insert(verification), a_row("b"))
    assert count(impatient) == 2
