"""Newcomers during a fault: a client that is cut off is a loss, unless we killed the server."""

import threading
from types import SimpleNamespace

import pytest

from tests.helpers.held_server import server  # noqa: F401  (a fixture)
from tests.helpers.waiting import until
from tools.prove.faults import trial


class WatchedLock:
    """A lock that says when a thread waits for it."""

    def __init__(self):
        self._lock = threading.Lock()
        self.awaited = threading.Event()

    def __enter__(self):
        if not self._lock.acquire(blocking=False):
            self.awaited.set()
            self._lock.acquire()

    def __exit__(self, *_):
        self._lock.release()


class Fleet:
    """One process, which is a server in the hands of the test."""

    def __init__(self, server):  # noqa: F811
        self._server = server
        self.killed = threading.Event()

    def kill(self, _port):
        self._server.cut_off()
        self.killed.set()

    def restart(self, _port):
        pass


@pytest.fixture
def subject(server, monkeypatch):  # noqa: F811
    # There is always one.
    monkeypatch.setattr(trial, "_BETWEEN_NEWCOMERS", 0.001)
    return trial.Service(
        deployment=SimpleNamespace(ports=[server.port], host=f"localhost:{server.port}"),
        fleet=Fleet(server),
        client=None,
        newcomer=WatchedLock(),
    )


def test_a_process_that_is_killed_on_purpose_cuts_no_newcomer_off(subject, server):  # noqa: F811
    with trial._Newcomers(subject).watching():
        until(lambda: server.requests)
        restart = threading.Thread(target=subject.restart)
        restart.start()
        until(lambda: subject.newcomer.awaited.is_set() or subject.fleet.killed.is_set())
        server.may_answer.set()
        restart.join()

    assert subject.fleet.killed.is_set()
    assert subject.ledger.losses == []


def test_a_process_that_ends_by_itself_cuts_a_newcomer_off(subject, server):  # noqa: F811
    with trial._Newcomers(subject).watching():
        until(lambda: server.requests)
        server.cut_off()
        until(lambda: subject.ledger.losses)
        server.may_answer.set()

    assert set(subject.ledger.losses) == {"a newcomer was cut off"}
