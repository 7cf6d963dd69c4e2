"""What zope.sqlalchemy and the managers of transactions do, and what our transactions mind."""

import threading

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.orm import Session
from transaction import TransactionManager, manager
from transaction.interfaces import AlreadyInTransaction, NoTransaction
from zope.sqlalchemy import mark_changed, register


@pytest.fixture
def opened(tmp_path):
    engine = create_engine(f"sqlite:///{tmp_path}/pin.sqlite")
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE written (value TEXT PRIMARY KEY)"))
    yield engine
    engine.dispose()


@pytest.fixture
def explicit():
    return TransactionManager(explicit=True)


def put(session, value):
    # As every statement is run that knows nothing of mapped objects.
    session.connection().execute(text("INSERT INTO written VALUES (:value)"), {"value": value})


def written(opened):
    with opened.connect() as connection:
        return set(connection.scalars(text("SELECT value FROM written")))


def test_what_is_registered_and_not_marked_is_rolled_back_without_a_word(opened, explicit):
    session = Session(opened)
    register(session, transaction_manager=explicit)
    explicit.begin()
    put(session, "lost")
    explicit.commit()

    assert written(opened) == set()


def test_what_is_marked_is_committed_without_being_registered(opened, explicit):
    session = Session(opened)
    explicit.begin()
    put(session, "kept")
    mark_changed(session, explicit)
    explicit.commit()

    assert written(opened) == {"kept"}


class Failing:
    """Something that cannot commit."""

    transaction_manager = None

    def sortKey(self):  # noqa: N802  (the name that a manager asks for)
        return "failing"

    def abort(self, _transaction):
        pass

    tpc_begin = commit = tpc_finish = tpc_abort = abort

    def tpc_vote(self, _transaction):
        raise ZeroDivisionError


def test_an_explicit_manager_begins_nothing_after_a_commit_that_failed_until_it_aborts(explicit):
    explicit.begin().join(Failing())
    with pytest.raises(ZeroDivisionError):
        explicit.commit()

    with pytest.raises(AlreadyInTransaction):
        explicit.begin()
    explicit.abort()
    explicit.begin()


def test_nothing_is_left_to_abort_after_a_commit(explicit):
    explicit.begin()
    explicit.commit()

    with pytest.raises(NoTransaction):
        explicit.abort()


def test_the_manager_of_threads_is_explicit_only_where_it_was_told(monkeypatch):
    monkeypatch.setattr(manager.manager, "explicit", True)
    seen = []

    thread = threading.Thread(target=lambda: seen.append(manager.explicit))
    thread.start()
    thread.join()

    assert manager.explicit
    assert seen == [False]
