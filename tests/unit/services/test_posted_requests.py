"""Posted requests: kept for a while, each for the first browser that comes."""

from datetime import timedelta

import pytest
from sqlalchemy import func, select

from authservice import clock
from authservice.models import posted_request
from authservice.services.tokens import posted_requests


@pytest.fixture
def reference(connection, turnable_clock):
    return posted_requests.put(connection, "value", turnable_clock.moment + timedelta(minutes=10))


def test_the_first_browser_has_it_as_often_as_it_comes(connection, reference):
    assert posted_requests.claim(connection, reference, "one") is True
    assert posted_requests.claim(connection, reference, "two") is False
    assert posted_requests.claim(connection, reference, "one") is True

    assert posted_requests.find(connection, reference, "one") == "value"
    assert posted_requests.find(connection, reference, "two") is None


def test_nobody_has_it_before_it_is_claimed(connection, reference):
    assert posted_requests.find(connection, reference, "one") is None


def test_it_cannot_be_claimed_when_it_has_expired(connection, reference, turnable_clock):
    posted_requests.claim(connection, reference, "one")
    turnable_clock.advance(minutes=10)

    assert posted_requests.claim(connection, reference, "one") is False
    # A page may have it still.
    assert posted_requests.find(connection, reference, "one") == "value"


def test_what_was_never_kept_cannot_be_claimed(connection):
    assert posted_requests.claim(connection, "unknown", "one") is False


@pytest.mark.attack("RFC6819-4.4.1.11")
def test_so_many_are_kept_and_room_is_made_when_they_are_over(
    connection, monkeypatch, turnable_clock
):
    monkeypatch.setattr(posted_requests, "MOST", 3)

    def put():
        return posted_requests.put(connection, "value", clock.now() + timedelta(minutes=10))

    kept = [put() for _ in range(3)]
    assert all(kept)
    assert put() is None

    # Until a page can no longer have one.
    turnable_clock.advance(minutes=19)
    assert put() is None
    turnable_clock.advance(minutes=1)
    newer = put()

    assert posted_requests.claim(connection, newer, "one")
    assert connection.scalar(select(func.count()).select_from(posted_request)) == 1


@pytest.mark.attack("RFC6819-4.4.1.11")
def test_no_sender_has_all_places(connection, monkeypatch, turnable_clock):
    monkeypatch.setattr(posted_requests, "MOST_OF_ONE", 2)

    def put(*senders):
        expires_at = turnable_clock.moment + timedelta(minutes=10)
        return posted_requests.put(connection, "value", expires_at, senders)

    # A site with all its networks, one after the other.
    of_site = [put((f"network {n}", 1), ("site", 3)) for n in (1, 1, 1, 2, 2, 2, 3, 3, 4, 5)]

    assert [each is not None for each in of_site] == [1, 1, 0, 1, 1, 0, 1, 1, 0, 0]
    assert put(("another network", 1), ("another site", 3))
    assert [put(("203.0.113.7", 1)) is not None for _ in range(3)] == [True, True, False]
    assert all(put() for _ in range(3))
    turnable_clock.advance(minutes=20)
    assert put(("network 1", 1), ("site", 3))
