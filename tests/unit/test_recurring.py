"""What happens again and again: whatever becomes of a call, and no longer than it should."""

import threading

import pytest

from authservice.services.upkeep.recurring import Recurring

pytestmark = pytest.mark.engines("sqlite")


def test_it_goes_on_after_a_failure_and_says_what_failed(database, caplog):
    calls = []
    enough = threading.Event()

    def act(ended):
        calls.append(ended.is_set())
        if len(calls) == 1:
            raise ZeroDivisionError
        enough.set()

    recurring = Recurring("the work", act, database, first=0, interval=0)
    recurring.start()
    assert enough.wait(30)
    recurring.stop()

    assert calls[:2] == [False, False]
    assert "the work failed, and is tried again" in caplog.text
    assert "ZeroDivisionError" in caplog.text


def test_a_call_is_told_to_end_early_and_none_follows(database):
    begun = threading.Event()
    calls = []

    def act(ended):
        calls.append("begun")
        begun.set()
        assert ended.wait(30)
        calls.append("ended")

    recurring = Recurring("work", act, database, first=0, interval=0)
    recurring.start()
    assert begun.wait(30)
    recurring.stop()

    assert calls == ["begun", "ended"]


def test_it_can_be_stopped_while_it_waits_and_before_it_began(database):
    waiting = Recurring("work", lambda ended: None, database, first=3600, interval=3600)
    waiting.start()
    waiting.stop()

    Recurring("work", lambda ended: None, database, first=0, interval=0).stop()


def test_the_connection_that_a_call_reads_with_is_the_next_threads(database):
    readers = []
    enough = threading.Event()

    def act(ended):
        readers.append(database.reader)
        enough.set()

    recurring = Recurring("work", act, database, first=0, interval=3600)
    recurring.start()
    assert enough.wait(30)
    recurring.stop()

    assert database.reader is readers[0]
