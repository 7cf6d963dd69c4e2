"""PostgreSQL: what each connection is set to, and that one which has ended is not used again."""

import re
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import insert, select, text
from sqlalchemy.exc import IntegrityError, OperationalError

from authservice import clock
from authservice.database.database import Database, advisory_lock
from authservice.database.postgresql.engines import others_connected
from authservice.database.revision import REVISION
from authservice.models import user, verification
from tests.helpers.lock_waits import wait_until_blocked
from tests.helpers.verifications import a_row

pytestmark = pytest.mark.engines("postgresql")


def setting(connection, name):
    return connection.exec_driver_sql(f"SHOW {name}").scalar()


def end_all_connections(database_url):
    """Let the server end every connection to the database; wait until it has."""
    other = Database(database_url)
    with other.transaction() as connection:
        ended = connection.scalars(
            text(
                "SELECT pg_terminate_backend(pid, 20000) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        ).all()
    other.dispose()
    assert ended
    assert all(ended)


def test_writing_transactions_are_read_committed_whatever_the_server_says(database):
    with database.transaction() as connection:
        connection.execute(
            text(
                f"ALTER DATABASE {database.url.database}"
                " SET default_transaction_isolation = 'serializable'"
            )
        )
    database.dispose()

    with database.transaction() as connection:
        assert setting(connection, "transaction_isolation") == "read committed"


def test_nobody_waits_for_long(database):
    transaction = database.begin()
    for connection in (database.reader, transaction.connection):
        assert setting(connection, "lock_timeout") == "5s"
        assert setting(connection, "idle_in_transaction_session_timeout") == "15s"
        assert setting(connection, "application_name") == f"authservice {REVISION}"
        driver = connection.connection.dbapi_connection
        given = {option.keyword: option.val for option in driver.pgconn.info if option.val}
        assert given[b"connect_timeout"] == b"5"
        assert given[b"tcp_user_timeout"] == b"15000"
    transaction.end()


def test_the_address_has_the_last_word(database_url):
    database = Database(f"{database_url}?application_name=mine&options=-c%20work_mem=128kB")

    transaction = database.begin()
    for connection in (database.reader, transaction.connection):
        assert setting(connection, "application_name") == "mine"
        assert setting(connection, "work_mem") == "128kB"
    transaction.end()
    database.dispose()


def test_it_sees_connections_of_every_version_under_its_own_name(subtests, database_url):
    for name, seen in (
        (f"authservice {REVISION}", f"1 connection of revision {REVISION} from 127.0.0.1"),
        ("authservice 9999", "1 connection of revision 9999 from 127.0.0.1"),
        # As versions before this one, and as an address may name it.
        ("authservice", "1 connection from 127.0.0.1"),
        ("mine", None),
        ("mine 9999", None),
    ):
        with subtests.test(name=name):
            database = Database(database_url)
            other = Database(f"{database_url}?application_name={name}")
            assert setting(other.reader, "application_name") == name
            expected = [] if seen is None else [seen]
            assert list(map(str, others_connected(database.reader))) == expected
            other.dispose()
            database.dispose()


def test_a_server_that_takes_no_writes_is_not_connected_to(database):
    with database.transaction() as connection:
        connection.execute(
            text(f"ALTER DATABASE {database.url.database} SET default_transaction_read_only = on")
        )
    database.dispose()

    with pytest.raises(OperationalError, match="read-only"):
        database.reader.execute(select(user))


def test_a_connection_that_the_server_has_ended_is_replaced_before_it_is_used(
    database, database_url
):
    with database.transaction() as connection:
        connection.execute(insert(verification), a_row())
    reader = database.reader
    reader.execute(select(verification))

    end_all_connections(database_url)

    assert database.reader is not reader
    assert len(database.reader.execute(select(verification)).all()) == 1
    with database.transaction() as connection:
        connection.execute(insert(verification), a_row("b"))


def test_to_roll_back_on_one_that_has_ended_fails_without_a_line_in_the_log(
    database, database_url, caplog
):
    """The view that answers the request writes the line, also while the database fails for all."""
    transaction = database.begin()
    transaction.connection.execute(insert(verification), a_row())

    end_all_connections(database_url)

    with pytest.raises(OperationalError):
        transaction.end()
    assert caplog.records == []
    with database.transaction() as connection:
        connection.execute(insert(verification), a_row("b"))


def test_one_that_ends_in_the_middle_fails_once(database, database_url):
    transaction = database.begin()
    connection = transaction.connection
    connection.execute(insert(verification), a_row())
    reader = database.reader

    end_all_connections(database_url)

    with pytest.raises(OperationalError):
        connection.execute(insert(verification), a_row("b"))
    transaction.end()
    with pytest.raises(OperationalError):
        reader.execute(select(verification))
    assert database.reader.execute(select(verification)).all() == []
    with database.transaction() as connection:
        connection.execute(insert(verification), a_row("b"))


def test_every_thread_may_write_at_once(database):
    number = 20
    together = threading.Barrier(number, timeout=60)

    def write(index):
        with database.transaction() as connection:
            connection.execute(insert(verification), a_row(str(index)))
            together.wait()

    threads = [threading.Thread(target=write, args=[index]) for index in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(database.reader.execute(select(verification)).all()) == number


def test_a_lock_is_waited_for_and_then_given_up(database):
    with database.transaction() as first:
        first.execute(insert(verification), a_row())
        waiting = database.begin()
        second = waiting.connection
        second.exec_driver_sql("SET LOCAL lock_timeout = '1ms'")
        with pytest.raises(OperationalError, match="lock timeout"):
            second.execute(insert(verification), a_row())
        waiting.end()


def test_turns_are_taken_one_after_the_other_however_long_it_takes(database):
    order = []

    def take():
        with database.transaction() as connection:
            connection.exec_driver_sql("SET LOCAL lock_timeout = '1ms'")
            advisory_lock(connection, 7)
            order.append("second")
            order.append(setting(connection, "lock_timeout"))

    with ThreadPoolExecutor(1) as other:
        with database.transaction() as connection:
            advisory_lock(connection, 7)
            second = other.submit(take)
            wait_until_blocked(database, second)
            order.append("first")
        second.result()

    assert order == ["first", "second", "5s"]


def test_an_error_does_not_quote_the_row(database):
    person = {"id": "u", "name": "N", "email": "ada@example.com", "email_verified": True}
    person |= {"created_at": clock.now(), "updated_at": clock.now()}
    with database.transaction() as connection:
        connection.execute(insert(user), person)

    for change in ({"id": "v"}, {"name": None, "email": "grace@example.com"}):
        with pytest.raises(IntegrityError) as caught, database.transaction() as connection:
            connection.execute(insert(user), person | change)
        told = f"{caught.value} {caught.value.orig}"
        assert re.search("violates (unique|not-null) constraint", told)
        assert "example.com" not in told
