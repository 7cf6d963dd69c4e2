"""Values that expire and can be spent once."""

from datetime import timedelta

import pytest

from authservice.services.tokens import verifications


@pytest.fixture
def row(connection, turnable_clock):
    ends = turnable_clock.moment + timedelta(minutes=10)
    assert verifications.put(connection, "name", "value", ends, id="one")
    return verifications.peek(connection, "name")


def test_a_value_is_kept_until_it_is_spent(row):
    assert (row.value, row.spent, row.expired) == ("value", False, False)


def test_a_value_of_the_same_id_is_not_stored_again(connection, row):
    assert not verifications.put(connection, "name", "other", row.expires_at, id="one")
    assert verifications.peek(connection, "name") == row


def test_it_is_spent_once_and_remembered(connection, row, turnable_clock):
    keep = turnable_clock.moment + timedelta(days=1)

    assert verifications.spend(connection, "one", keep) is True
    assert verifications.spend(connection, "one", keep) is False

    spent = verifications.peek(connection, "name")
    assert (spent.spent, spent.expired, spent.expires_at) == (True, False, keep)


def test_it_cannot_be_spent_when_its_time_is_over(connection, row, turnable_clock):
    turnable_clock.advance(minutes=10)

    assert verifications.spend(connection, "one", turnable_clock.moment) is False
    assert verifications.peek(connection, "name").expired is True


def test_what_was_never_stored_cannot_be_spent(connection, turnable_clock):
    assert verifications.spend(connection, "unknown", turnable_clock.moment) is False
    assert verifications.peek(connection, "unknown") is None


def test_an_id_is_made_when_none_is_given(connection, turnable_clock):
    verifications.put(connection, "name", "value", turnable_clock.moment)

    assert len(verifications.peek(connection, "name").id) == 32
