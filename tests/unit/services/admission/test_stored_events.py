"""Events of the provider that wait: each is one process's, until it has been done."""

import pytest

from authservice.services.admission import stored_events

FIRST, AGAIN = {"account_id": "1", "leaves": True}, {"account_id": "1", "leaves": False}


@pytest.fixture
def store(database):
    def store(fingerprint="a body"):
        with database.transaction() as connection:
            stored_events.store(connection, fingerprint, first=FIRST, again=AGAIN)

    return store


def claim(database):
    """Return a claimed event, and what is to be done upon it."""
    event = stored_events.claim(database)
    return event, event and dict(event.hint)


def test_the_event_that_has_waited_longest_comes_first(database, store, turnable_clock):
    for fingerprint in ("c", "a", "b"):
        store(fingerprint)
        turnable_clock.advance(seconds=1)

    assert [stored_events.claim(database).id for _ in range(3)] == ["c", "a", "b"]
    assert stored_events.claim(database) is None


def test_an_event_that_comes_again_counts_no_more_once_it_has_been_done(database, store):
    store()
    event, hint = claim(database)
    stored_events.done(database, event)
    store()

    assert (hint, claim(database)[1]) == (FIRST, AGAIN)


def test_an_event_that_comes_again_meanwhile_is_acted_upon_once_more(database, store):
    store()
    event, _ = claim(database)
    store()
    stored_events.done(database, event)

    again, hint = claim(database)

    assert hint == FIRST
    stored_events.done(database, again)
    assert stored_events.count_due(database.reader, 8) == 0


def test_who_takes_too_long_does_not_end_what_another_one_does(database, store, turnable_clock):
    store()
    slow, _ = claim(database)
    turnable_clock.advance(seconds=30)
    claim(database)

    stored_events.done(database, slow)
    turnable_clock.advance(seconds=30)

    assert claim(database)[1] == FIRST


def test_no_more_are_counted_than_wanted(database, store):
    for number in range(5):
        store(f"body {number}")

    counted = [stored_events.count_due(database.reader, most) for most in (3, 8)]

    assert counted == [3, 5]
