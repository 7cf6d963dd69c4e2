"""Posted requests: kept for a while, each for the first browser that comes."""

from datetime import timedelta

import pytest

from authservice.services import posted_requests


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
