"""Names in rules: pinned once, and marked when a person shows them with another number."""

import logging

import pytest
from sqlalchemy import select, update

from authservice.models import user
from authservice.services.admission import pins
from authservice.services.admission.decision import Pin
from tests.unit.services.admission.people import parsed, person

RULES = parsed("org:acme", "team:acme/platform", "user:ada", "id:1", "domain:example.com")
NUMBERS = dict(zip(RULES, ("7", "9", "1"), strict=False))


@pytest.fixture
def pinned(connection):
    """The numbers of the three names."""
    pins.learn(connection, NUMBERS)
    return {str(rule): Pin(number) for rule, number in NUMBERS.items()}


def test_a_name_keeps_the_number_that_it_had_first(connection, pinned):
    pins.learn(connection, {RULES[0]: "8", RULES[2]: "1"})

    assert pins.all_pins(connection) == pinned
    assert pins.of_rules(connection, RULES[:1]) == {"org:acme": Pin("7")}
    assert pins.of_rules(connection, RULES[3:]) == {}


def test_nobody_pins_a_name_by_showing_it(connection):
    pins.mark(connection, person("1", "ada", organizations={"acme": "7"}))

    assert pins.all_pins(connection) == {}


def test_a_name_that_means_another_number_is_marked_and_said_once(connection, pinned, caplog):
    other = person("66", "Ada", organizations={"ACME": "666"}, teams={"acme/platform": "9"})
    foreseen = pins.marked(pinned, other)
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            pins.mark(connection, other)
        pins.mark(connection, person("1", "ada"))

    found = pins.all_pins(connection)
    assert found == foreseen == pinned | {"org:acme": Pin("7", "666"), "user:ada": Pin("1", "66")}
    assert sorted(record.args[0] for record in caplog.records) == ["org:acme", "user:ada"]


def test_a_person_who_was_renamed_marks_nothing(connection, pinned):
    pins.mark(connection, person("1", "other", organizations={"acme-labs": "7"}))

    assert pins.all_pins(connection) == pinned


def test_a_renewed_name_has_the_new_number_and_its_people_are_asked_again(connection, people):
    _admit_all(connection, people, "user:ada")
    pins.learn(connection, {RULES[2]: "1"})
    pins.mark(connection, person("66", "ada"))

    stored = Pin("1", "66")
    assert pins.renew(connection, RULES[2], Pin("1"), "66") is False
    assert pins.renew(connection, RULES[2], stored, "66") is True
    assert pins.renew(connection, RULES[2], stored, "66") is False

    assert pins.all_pins(connection) == {"user:ada": Pin("66")}
    assert _admitted(connection) == {people.bob.user.id}


def test_a_name_that_has_no_pin_can_be_given_one(connection, people):
    assert pins.renew(connection, RULES[0], None, "7") is True
    assert pins.renew(connection, RULES[0], None, "8") is False
    assert pins.all_pins(connection) == {"org:acme": Pin("7")}


def test_a_name_that_has_its_number_again_is_asked_of_nobody(connection, people):
    _admit_all(connection, people, "user:ada")
    pins.renew(connection, RULES[2], None, "1")
    pins.mark(connection, person("66", "ada"))

    assert pins.renew(connection, RULES[2], Pin("1", "66"), "1") is True

    assert pins.all_pins(connection) == {"user:ada": Pin("1")}
    assert len(_admitted(connection)) == 2


def _admit_all(connection, people, rule):
    """Let Ada be admitted by a rule, and Bob by another one."""
    for each, by in ((people.ada, rule), (people.bob, "id:2")):
        admitted = update(user).where(user.c.id == each.user.id)
        connection.execute(admitted.values(admitted_at=each.created_at, admitted_by=by))


def _admitted(connection):
    return set(connection.scalars(select(user.c.id).where(user.c.admitted_at.is_not(None))))
