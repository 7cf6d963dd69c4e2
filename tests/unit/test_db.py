"""The two engines: the reader that cannot write, the writer that takes its lock at once."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import insert, select, text
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError

from authservice import clock
from authservice.database.database import Database, insert_or_ignore
from authservice.database.sqlite import engines
from authservice.models import jwks, verification
from tests.helpers.waiting import until


def _pragma(connection, name):
    return connection.execute(text(f"PRAGMA {name}")).scalar()


def _row(row_id="a", identifier="x"):
    return {
        "id": row_id,
        "identifier": identifier,
        "value": "v",
        "expires_at": clock.now(),
        "created_at": clock.now(),
    }


def test_a_write_through_the_reader_fails_loudly(database):
    with pytest.raises(DBAPIError, match=r"read-?only"):
        database.reader.execute(insert(verification), _row())

    assert database.reader.execute(select(verification)).all() == []


def test_a_transaction_is_committed_at_its_end(database):
    with database.transaction() as connection:
        connection.execute(insert(verification), _row())

    assert len(database.reader.execute(select(verification)).all()) == 1


def test_an_exception_rolls_a_transaction_back(database):
    def write_and_fail():
        with database.transaction() as connection:
            connection.execute(insert(verification), _row())
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_and_fail()

    assert database.reader.execute(select(verification)).all() == []


@pytest.mark.engines("sqlite")
def test_the_writer_holds_the_write_lock_from_the_beginning(database, database_url, monkeypatch):
    other = Database(f"{database_url}")
    with database.transaction() as connection:
        connection.execute(select(verification)).all()
        monkeypatch.setattr(engines, "PATIENCE_SECONDS", 0)
        with pytest.raises(OperationalError, match="locked"):
            other.begin()

    monkeypatch.undo()
    with other.transaction() as connection:
        connection.execute(insert(verification), _row())
    other.dispose()


@pytest.mark.engines("sqlite")
def test_who_waits_for_the_write_lock_begins_to_ask_anew_all_the_time(database, database_url):
    other = Database(f"{database_url}")
    with other.transaction() as connection:
        statements = []
        connection.connection.dbapi_connection.set_trace_callback(statements.append)

    with ThreadPoolExecutor(1) as pool:
        with database.transaction() as connection:
            connection.execute(insert(verification), _row("a", "first"))
            waiting = pool.submit(_insert, other, _row("b", "second"))
            until(lambda: statements.count("BEGIN IMMEDIATE") > 10 or waiting.done())
            assert not waiting.done()
        waiting.result()

    assert len(database.reader.execute(select(verification)).all()) == 2
    other.dispose()


@pytest.mark.engines("sqlite")
def test_what_no_waiting_mends_is_not_waited_for(database):
    statements = []
    with database.writer.connect() as connection:
        driver = connection.connection.dbapi_connection
        driver.execute("BEGIN")
        driver.set_trace_callback(statements.append)
        with pytest.raises(OperationalError, match="within a transaction"):
            connection.begin()

    assert statements.count("BEGIN IMMEDIATE") == 1


def _insert(database, row):
    with database.transaction() as connection:
        connection.execute(insert(verification), row)


def test_a_dry_run_keeps_nothing(database):
    with database.transaction(dry_run=True) as connection:
        connection.execute(insert(verification), _row())

    assert database.reader.execute(select(verification)).all() == []


@pytest.mark.engines("sqlite")
def test_concurrent_transactions_that_read_and_write_lose_nothing(database):
    with database.transaction() as connection:
        connection.execute(insert(verification), _row() | {"value": "0"})

    def count_up():
        for _ in range(20):
            with database.transaction() as connection:
                value = connection.scalar(select(verification.c.value))
                connection.execute(verification.update().values(value=str(int(value) + 1)))

    threads = [threading.Thread(target=count_up) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert database.reader.scalar(select(verification.c.value)) == "100"


@pytest.mark.engines("sqlite")
def test_every_connection_keeps_the_rules_of_the_database(database):
    with database.transaction() as writer:
        assert _pragma(writer, "foreign_keys") == 1
        assert _pragma(writer, "busy_timeout") == 5
        assert _pragma(writer, "temp_store") == 2
        assert _pragma(writer, "journal_mode") == "wal"
        assert _pragma(writer, "query_only") == 0
        assert _pragma(writer, "secure_delete") == 1
    assert _pragma(database.reader, "foreign_keys") == 1
    assert _pragma(database.reader, "busy_timeout") == 5000
    assert _pragma(database.reader, "query_only") == 1


@pytest.mark.engines("sqlite")
@pytest.mark.parametrize(("wanted", "level"), [(None, 2), ("FULL", 2), ("NORMAL", 1)])
def test_a_commit_is_flushed_to_disk_unless_told_otherwise(database_url, wanted, level):
    database = Database(database_url, **({"synchronous": wanted} if wanted else {}))

    with database.transaction() as connection:
        assert _pragma(connection, "synchronous") == level
    database.dispose()


@pytest.mark.engines("sqlite")
def test_the_setting_reaches_the_database(make_app):
    app = make_app(auth__sqlite_synchronous="NORMAL")

    with app.registry.components.database.transaction() as connection:
        assert _pragma(connection, "synchronous") == 1


def test_the_reader_sees_the_newest_state_with_each_statement(database):
    reader = database.reader
    assert reader.execute(select(verification)).all() == []

    with database.transaction() as connection:
        connection.execute(insert(verification), _row())

    assert len(reader.execute(select(verification)).all()) == 1


def test_each_thread_keeps_one_reader(database):
    readers = []

    def read():
        readers.append(database.reader)
        readers.append(database.reader)

    thread = threading.Thread(target=read)
    thread.start()
    thread.join()

    assert readers[0] is readers[1]
    assert readers[0] is not database.reader
    assert database.reader is database.reader


def test_a_reader_that_was_handed_back_is_the_next_threads(database):
    def read(readers):
        readers.append(database.reader)
        database.hand_back_reader()

    readers = []
    for _ in range(3):
        thread = threading.Thread(target=read, args=[readers])
        thread.start()
        thread.join()

    assert readers[0] is readers[1] is readers[2] is database.reader
    database.hand_back_reader()
    database.hand_back_reader()
    with ThreadPoolExecutor(2) as pool:
        together = threading.Barrier(2)
        one, other = pool.map(lambda _: (together.wait(), database.reader)[1], range(2))
    assert one is not other


def test_a_reader_that_was_handed_back_and_lost_is_replaced(database):
    first = database.reader
    database.hand_back_reader()
    first.close()

    assert database.reader is not first
    assert database.reader.execute(select(verification)).all() == []


def test_a_closed_reader_is_replaced(database):
    first = database.reader
    first.close()

    assert database.reader is not first
    assert database.reader.execute(select(verification)).all() == []


def test_disposing_closes_the_readers_of_every_thread(database_url):
    database = Database(database_url)
    readers = [database.reader]
    thread = threading.Thread(target=lambda: readers.append(database.reader))
    thread.start()
    thread.join()

    database.dispose()

    assert [reader.closed for reader in readers] == [True, True]


def test_a_row_is_inserted_once_and_the_second_one_ignored(database):
    with database.transaction() as connection:
        assert insert_or_ignore(connection, verification, _row("a", "first")) is True
        assert insert_or_ignore(connection, verification, _row("a", "second")) is False
        assert connection.scalars(select(verification.c.identifier)).all() == ["first"]


def test_a_fault_other_than_a_repeated_key_is_not_ignored(database):
    with pytest.raises(IntegrityError), database.transaction() as connection:
        insert_or_ignore(connection, verification, _row() | {"value": None})


def test_connecting_waits_until_it_is_needed(tmp_path):
    database = Database(f"sqlite:///{tmp_path}/nowhere/x.sqlite")

    with pytest.raises(OperationalError):
        database.reader.execute(select(jwks))


def test_a_server_database_is_not_connected_to_either_before_it_is_needed():
    database = Database("postgresql+psycopg://user@127.0.0.1:9/none")

    assert database.is_sqlite is False
    database.dispose()
