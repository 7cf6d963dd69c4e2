"""One commit for several threads: shared where they wait anyway, and no thread told too early."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

import pytest
from sqlalchemy import text
from sqlalchemy.exc import (
    IntegrityError,
    OperationalError,
    TimeoutError,  # noqa: A004  (what a full pool raises, too)
)

from authservice.database.database import Database
from authservice.database.sqlite import group_commit, shared_transaction
from authservice.events import SignedIn
from tests.helpers.waiting import until

pytestmark = pytest.mark.engines("sqlite")

INSERT = text("INSERT INTO written VALUES (:value)")
# SQLite itself rolls the whole transaction back, as it may when the disk is full.
ROLLED_BACK_BY_SQLITE = text("INSERT OR ROLLBACK INTO written VALUES ('known')")
# What is wrong is found by the commit.
WRONG_AT_COMMIT = text("INSERT INTO referring VALUES ('nobody')")


@pytest.fixture
def database(tmp_path, monkeypatch):
    # Anyone who waits joins, however slow this machine is.
    monkeypatch.setattr(shared_transaction, "_OPEN_SECONDS", 60)
    opened = Database(f"sqlite:///{tmp_path}/test.sqlite")
    with opened.transaction() as connection:
        connection.execute(text("CREATE TABLE written (value TEXT PRIMARY KEY)"))
        connection.execute(
            text(
                "CREATE TABLE referring (value TEXT"
                " REFERENCES written(value) DEFERRABLE INITIALLY DEFERRED)"
            )
        )
        connection.execute(text("INSERT INTO written VALUES ('known')"))
    yield opened
    opened.dispose()


@pytest.fixture
def commits(database):
    """Give how many commits there have been."""
    traced = []
    with database.transaction() as connection:
        connection.connection.dbapi_connection.set_trace_callback(traced.append)
    return lambda: traced.count("COMMIT") - 1


@pytest.fixture
def threads():
    with ThreadPoolExecutor(20) as pool:
        yield pool


def write(database, value, *further, fails=False):
    with database.transaction() as connection:
        connection.execute(INSERT, {"value": value})
        for statement in further:
            connection.execute(statement)
        if fails:
            raise ZeroDivisionError


def written(database):
    return set(database.reader.scalars(text("SELECT value FROM written WHERE value <> 'known'")))


def wait_for_waiting(database, number):
    until(lambda: database._group_commit._waiting == number)


class Held:
    """A transaction in a thread of its own, which goes on when it is told to."""

    def __init__(self, threads, database, value):
        self._entered = threading.Event()
        self._told = threading.Event()
        self.done = threads.submit(self._write, database, value)
        self._value = value

    def _write(self, database, value):
        with database.transaction() as connection:
            connection.execute(INSERT, {"value": value})
            self._entered.set()
            self._told.wait()

    def wait_until_entered(self):
        self._entered.wait()

    def go_on(self):
        self._told.set()


@contextmanager
def first(threads, database):
    """Let others queue up behind a transaction that has the turn."""
    held = Held(threads, database, "first")
    held.wait_until_entered()
    try:
        yield held
    finally:
        held.go_on()


def test_threads_that_wait_share_the_commit_of_the_one_before(database, commits, threads):
    with first(threads, database) as held:
        others = [threads.submit(write, database, str(number)) for number in range(5)]
        wait_for_waiting(database, 5)

    for other in (held.done, *others):
        other.result()
    assert commits() == 1
    assert written(database) == {"first", *map(str, range(5))}


def test_who_is_alone_commits_at_once(database, commits):
    write(database, "a")
    write(database, "b")

    assert commits() == 2


def test_nobody_returns_before_what_he_wrote_is_committed(database, threads):
    with first(threads, database) as held:
        second = Held(threads, database, "second")
        wait_for_waiting(database, 1)
    second.wait_until_entered()

    # The first has nothing more to do than to wait.
    assert not held.done.done()
    assert written(database) == set()
    second.go_on()
    held.done.result()
    assert written(database) == {"first", "second"}


def test_a_transaction_takes_in_nobody_when_it_lasts_too_long(
    database, commits, threads, monkeypatch
):
    monkeypatch.setattr(shared_transaction, "_OPEN_SECONDS", 0)
    with first(threads, database):
        other = threads.submit(write, database, "other")
        wait_for_waiting(database, 1)
    other.result()

    assert commits() == 2


def test_what_one_gives_up_takes_nothing_from_the_others(database, commits, threads):
    with first(threads, database) as held:
        others = [
            threads.submit(write, database, str(number), fails=number % 2 == 0)
            for number in range(6)
        ]
        wait_for_waiting(database, 6)

    held.done.result()
    failed = [isinstance(other.exception(), ZeroDivisionError) for other in others]
    assert failed == [True, False] * 3
    assert written(database) == {"first", "1", "3", "5"}
    assert commits() == 1


def test_who_comes_after_one_that_gave_up_alone_begins_anew(database, threads):
    with pytest.raises(ZeroDivisionError):
        write(database, "given up", fails=True)
    write(database, "kept")

    assert written(database) == {"kept"}


@pytest.mark.parametrize("fault", [ROLLED_BACK_BY_SQLITE, WRONG_AT_COMMIT])
def test_what_sqlite_takes_back_is_told_to_all_that_it_concerns(database, threads, fault):
    with first(threads, database) as held:
        faulty = threads.submit(write, database, "faulty", fault)
        wait_for_waiting(database, 1)

    # It says what was wrong, and not what followed from it.
    assert isinstance(faulty.exception(), IntegrityError)
    with pytest.raises(OperationalError, match="shared with others failed"):
        held.done.result()
    assert written(database) == set()
    write(database, "next")
    assert written(database) == {"next"}


def write_undisturbed(database, value, told=None):
    """Write, and go on as if nothing was when SQLite rolls it back."""
    with database.transaction() as connection:
        connection.execute(INSERT, {"value": value})
        if told is not None:
            told()
        with suppress(IntegrityError):
            connection.execute(ROLLED_BACK_BY_SQLITE)


def test_what_sqlite_took_back_is_not_told_to_be_committed(database):
    with pytest.raises(OperationalError, match="rolled the transaction back"):
        write_undisturbed(database, "lost")

    assert written(database) == set()


def test_nobody_goes_on_in_what_sqlite_took_back(database, threads):
    others = []

    def let_another_wait():
        others.append(threads.submit(write, database, "other"))
        wait_for_waiting(database, 1)

    with pytest.raises(OperationalError, match="rolled the transaction back"):
        write_undisturbed(database, "lost", let_another_wait)

    others[0].result()
    assert written(database) == {"other"}


def test_nor_are_those_before_told_that_it_was_committed(database, threads):
    with first(threads, database) as held:
        lost = threads.submit(write_undisturbed, database, "lost")
        wait_for_waiting(database, 1)

    assert isinstance(lost.exception(), OperationalError)
    assert isinstance(held.done.exception(), OperationalError)
    assert written(database) == set()


def test_a_connection_that_is_given_up_takes_everybody_s_part_along(database, threads):
    def break_off():
        with database.transaction() as connection:
            connection.execute(INSERT, {"value": "gone"})
            # As SQLAlchemy does where a file may suddenly only be read.
            connection.invalidate()
            raise ZeroDivisionError

    with first(threads, database) as held:
        broken = threads.submit(break_off)
        wait_for_waiting(database, 1)

    assert isinstance(broken.exception(), ZeroDivisionError)
    assert isinstance(held.done.exception(), OperationalError)
    write(database, "next")
    assert written(database) == {"next"}


def test_the_commit_is_made_although_the_thread_it_was_left_to_gives_up(
    database, threads, monkeypatch
):
    class Late:
        """A turn that comes to one thread right after it stopped waiting."""

        def __init__(self, turn):
            self._turn = turn
            self.release = turn.release

        def acquire(self, blocking=True, timeout=-1):
            if timeout == -1:
                return self._turn.acquire(blocking)
            held.go_on()
            until(lambda: not self._turn.locked())
            return False

    with first(threads, database) as held:
        turn = database._group_commit._turn
        monkeypatch.setattr(database._group_commit, "_turn", Late(turn))
        with pytest.raises(TimeoutError):
            write(database, "too late")

    held.done.result()
    assert written(database) == {"first"}
    assert not turn.locked()


def test_who_waits_for_too_long_is_told_so(database, threads, monkeypatch):
    monkeypatch.setattr(group_commit, "PATIENCE_SECONDS", 0.01)
    with first(threads, database), pytest.raises(TimeoutError):
        write(database, "other")

    write(database, "next")
    assert written(database) == {"first", "next"}


def test_its_connection_is_closed_with_the_database(database):
    with database.transaction() as connection:
        pass
    database.dispose()

    assert connection.closed


def test_each_logs_what_happened_in_its_own_part(database, threads, caplog):
    caplog.set_level("INFO", "authservice.events")

    def sign_in(name, *, fails=False):
        with database.begin() as transaction:
            transaction.note(SignedIn(sub=name, sid="s", provider="p", new_user=True))
            if fails:
                raise ZeroDivisionError

    with first(threads, database):
        signing_in = [
            threads.submit(sign_in, str(number), fails=number == 1) for number in range(3)
        ]
        wait_for_waiting(database, 3)
        assert caplog.records == []
    for other in signing_in:
        other.exception()

    assert sorted(record.event.sub for record in caplog.records) == ["0", "2"]


def test_under_load_everybody_is_told_the_truth(database, threads, monkeypatch, tmp_path):
    """Threads of two databases on one file, as processes are, each often given up."""
    monkeypatch.setattr(shared_transaction, "_OPEN_SECONDS", 0.002)
    monkeypatch.setattr(group_commit, "PATIENCE_SECONDS", 0.01)
    other = Database(str(database.url), synchronous="OFF")

    def write_often(name, database):
        kept = set()
        for number in range(60):
            value = f"{name} {number}"
            try:
                write(database, value, fails=number % 3 == 0)
            except (ZeroDivisionError, TimeoutError):
                continue
            kept.add(value)
            assert value in written(database)
        return kept

    told = [
        threads.submit(write_often, str(number), (database, other)[number % 2])
        for number in range(16)
    ]
    kept = set().union(*(one.result() for one in told))
    other.dispose()
    assert len(kept) > 60
    assert written(database) == kept
