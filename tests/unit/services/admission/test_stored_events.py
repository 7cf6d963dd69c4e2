"""Events of the provider that wait: each is one process's, until it has been done."""

import pytest

from authservice.services.admission import stored_events

FIRST, AGAIN = {"account_id": "1", "leaves": True}, {"account_id": "1", "leaves": False}


@pytest.fixture
def store(database):
    def store(event_id="a body", **further):
        with database.transaction() as connection:
            stored_events.store(connection, event_id, first=FIRST, again=AGAIN, **further)

    return store


def claim(database):
    """Return a claimed event, and what is to be done upon it."""
    events = stored_events.claim(database)
    return events, events and dict(*events.hints)


def test_the_event_that_has_waited_longest_comes_first(database, store, turnable_clock):
    for fingerprint in ("c", "a", "b"):
        store(fingerprint)
        turnable_clock.advance(seconds=1)

    assert [stored_events.claim(database).ids for _ in range(3)] == [("c",), ("a",), ("b",)]
    assert stored_events.claim(database) is None


def test_who_may_have_to_go_comes_before_all_others(database, store, turnable_clock):
    store("others")
    turnable_clock.advance(seconds=1)
    store("leaves", is_urgent=True)

    assert stored_events.claim(database).ids == ("leaves",)


def test_what_waits_of_one_person_is_one_process_s(database, store):
    mine = [stored_events.name("github", "1", body) for body in "abc"]
    other = stored_events.name("github", "11", "a")
    for event_id in (*mine[:2], other):
        store(event_id)
    claimed = [stored_events.claim(database) for _ in range(3)]
    assert {events and frozenset(events.ids) for events in claimed} == {
        frozenset(mine[:2]),
        frozenset([other]),
        None,
    }

    # What comes meanwhile waits for its end.
    store(mine[2])
    assert stored_events.claim(database) is None
    for events in claimed[:2]:
        stored_events.done(database, events, 1)
    assert stored_events.claim(database).ids == (mine[2],)


def test_the_questions_of_an_hour_are_known_by_person(database, store, turnable_clock):
    for number, asked in (("1", 3), ("2", 50), ("1", 4)):
        store(stored_events.name("github", number, f"{asked}"))
        stored_events.done(database, stored_events.claim(database), asked)
    store(stored_events.name("github", "1", "last"))
    events = stored_events.claim(database)

    assert stored_events.asked_lately(database.reader, events) == 7
    turnable_clock.advance(hours=1)
    assert stored_events.asked_lately(database.reader, events) == 0


def test_an_event_that_comes_again_counts_no_more_once_it_has_been_done(database, store):
    store()
    event, hint = claim(database)
    stored_events.done(database, event, 0)
    store()

    assert (hint, claim(database)[1]) == (FIRST, AGAIN)


def test_an_event_that_comes_again_meanwhile_is_acted_upon_once_more(database, store):
    store()
    event, _ = claim(database)
    store()
    stored_events.done(database, event, 0)

    again, hint = claim(database)

    assert hint == FIRST
    stored_events.done(database, again, 0)
    assert stored_events.count_due(database.reader, 8) == 0


def test_who_takes_too_long_does_not_end_what_another_one_does(database, store, turnable_clock):
    store()
    slow, _ = claim(database)
    turnable_clock.advance(seconds=30)
    claim(database)

    stored_events.done(database, slow, 0)
    turnable_clock.advance(seconds=30)

    assert claim(database)[1] == FIRST


def test_no_more_are_counted_than_wanted(database, store):
    for number in range(5):
        store(f"body {number}")

    counted = [stored_events.count_due(database.reader, most) for most in (3, 8)]

    assert counted == [3, 5]
