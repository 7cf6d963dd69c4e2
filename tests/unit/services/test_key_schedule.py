"""The schedule of signing keys: what each key is for at a moment, and which are due."""

from datetime import UTC, datetime, timedelta

import pytest

from authservice.crypto.algorithms import ALGORITHMS
from authservice.services.keys import key_schedule
from authservice.services.keys.key_schedule import PUBLISHED_AFTER, PUBLISHED_BEFORE, VERIFIES_AFTER
from authservice.services.keys.stored_keys import StoredKey

NOW = datetime(2030, 6, 1, tzinfo=UTC)
ROTATION = timedelta(days=90)
SECOND = timedelta(seconds=1)


def key(kid, *, age=timedelta(days=1), ends_in=None, alg="RS256"):
    end = None if ends_in is None else NOW + ends_in
    return StoredKey(kid, {"alg": alg, "kid": kid}, "", NOW - age, end)


def states(*keys, usable=None):
    known = [each.kid for each in keys] if usable is None else usable
    return key_schedule.states(keys, known, NOW)


def is_due(*keys, usable=None, rotation=ROTATION):
    known = [each.kid for each in keys] if usable is None else usable
    return "RS256" in key_schedule.due(keys, known, NOW, rotation)


def test_a_single_key_signs_at_once():
    assert states(key("a", age=timedelta())) == {"a": "signing"}


def test_the_key_that_ends_signs_and_its_successor_waits():
    old, new = key("old", ends_in=SECOND), key("new", age=timedelta(hours=1))

    assert states(new, old) == {"old": "signing", "new": "next"}
    assert key_schedule.signs_from(new, [old, new], {"old", "new"}, NOW) == old.expires_at


def test_the_successor_signs_from_the_moment_in_which_the_other_ends():
    assert states(key("old", ends_in=timedelta()), key("new")) == {
        "old": "retiring",
        "new": "signing",
    }


def test_a_successor_that_a_late_clock_made_still_waits():
    old, new = key("old", ends_in=SECOND), key("new", age=timedelta(days=2))

    assert states(old, new)["new"] == "next"


def test_each_algorithm_has_its_own_key():
    keys = [key(alg, alg=alg) for alg in ALGORITHMS]

    assert set(states(*keys).values()) == {"signing"}
    assert key_schedule.due(keys, ALGORITHMS, NOW, ROTATION) == ()
    assert key_schedule.due(keys[1:], ALGORITHMS, NOW, ROTATION) == ("RS256",)


def test_a_key_that_signed_is_published_for_a_while_and_verifies_for_longer(subtests):
    for ended, state in (
        (timedelta(), "retiring"),
        (PUBLISHED_AFTER - SECOND, "retiring"),
        (PUBLISHED_AFTER, "retired"),
        (VERIFIES_AFTER - SECOND, "retired"),
    ):
        with subtests.test(ended=ended, state=state):
            old = key("old", ends_in=-ended)

            assert states(old) == {"old": state}
            assert key_schedule.is_published(old, NOW) is (state == "retiring")
            assert key_schedule.verifies(old, NOW)


def test_in_the_end_it_verifies_no_more():
    assert not key_schedule.verifies(key("old", ends_in=-VERIFIES_AFTER), NOW)


def test_a_key_of_another_secret_is_published_and_signs_elsewhere():
    foreign = key("foreign")

    assert states(foreign, key("own"), usable={"own"}) == {"foreign": "locked", "own": "signing"}
    assert key_schedule.is_published(foreign, NOW)


@pytest.mark.parametrize(("age", "expected"), [(ROTATION - SECOND, False), (ROTATION, True)])
def test_a_key_is_due_after_its_period(age, expected):
    assert is_due(key("a", age=age)) is expected


def test_nothing_is_due_while_the_successor_waits():
    assert not is_due(key("old", age=ROTATION, ends_in=PUBLISHED_BEFORE), key("new"))


@pytest.mark.parametrize(
    ("keys", "usable"),
    [
        ([], []),
        ([key("ends", ends_in=SECOND)], ["ends"]),
        ([key("ended", ends_in=-SECOND)], ["ended"]),
        ([key("foreign")], []),
    ],
    ids=["none", "only one that ends", "only one that has ended", "only another secret's"],
)
def test_a_key_is_due_where_none_would_be_left(keys, usable):
    assert is_due(*keys, usable=usable)


@pytest.mark.parametrize("off", [timedelta(hours=1), ROTATION - SECOND])
def test_a_clock_that_was_set_back_a_little_makes_nothing_due(off):
    assert not is_due(key("a", age=-off))


def test_a_key_from_the_far_future_is_due():
    assert is_due(key("a", age=-timedelta(days=365)))


def superseded(*keys):
    found = key_schedule.superseded(keys, "RS256", NOW, ROTATION)
    return {each.kid for each in found}


def test_what_signs_now_ends_when_the_new_key_takes_over():
    assert superseded(
        key("old", age=ROTATION),
        key("ending soon", ends_in=SECOND),
        key("ending in a year, says a wrong clock", ends_in=timedelta(days=365)),
        key("ended", ends_in=-SECOND),
        key("of another algorithm", age=ROTATION, alg="ES256"),
    ) == {"old", "ending soon", "ending in a year, says a wrong clock"}


def test_a_young_key_of_another_secret_is_left_alone():
    assert superseded(key("foreign")) == set()
