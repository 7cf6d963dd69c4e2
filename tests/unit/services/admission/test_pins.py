"""Names in rules: pinned when first shown, and marked when they mean another number."""

import logging

from sqlalchemy import select, update

from authservice.models import user
from authservice.services.admission import pins
from authservice.services.admission.decision import Pin
from tests.unit.services.admission.people import parsed, person

RULES = parsed("org:acme", "team:acme/platform", "user:ada", "id:1", "domain:example.com")


def test_names_are_pinned_by_the_first_person_who_shows_them(connection):
    ada = person("1", "Ada", organizations={"Acme": "7"}, teams={"acme/Platform": "9"})

    assert pins.resolve(connection, RULES, person("3", "eve")) == {}
    assert pins.resolve(connection, RULES, ada) == {
        "org:acme": Pin("7"),
        "team:acme/platform": Pin("9"),
        "user:ada": Pin("1"),
    }
    assert pins.resolve(connection, RULES[:1], person("3", "eve")) == {"org:acme": Pin("7")}


def test_a_name_that_means_another_number_is_marked_and_said_once(connection, caplog):
    pins.resolve(connection, RULES, person("1", "ada"))
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            found = pins.resolve(connection, RULES, person("66", "ada"))
        pins.resolve(connection, RULES, person("1", "ada"))

    assert found == pins.all_pins(connection) == {"user:ada": Pin("1", "66")}
    assert [record.args[0] for record in caplog.records] == [RULES[2]]


def test_a_person_who_was_renamed_marks_nothing(connection):
    pins.resolve(connection, RULES, person("1", "ada"))

    assert pins.resolve(connection, RULES, person("1", "other")) == {"user:ada": Pin("1")}


def test_a_renewed_name_has_the_new_number_and_its_people_are_asked_again(connection, people):
    _admit_all(connection, people, "user:ada")
    pins.resolve(connection, RULES, person("1", "ada"))
    pins.resolve(connection, RULES, person("66", "ada"))

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


def test_a_forgotten_name_is_pinned_by_the_next_member(connection, people):
    _admit_all(connection, people, "team:acme/platform")
    pins.resolve(connection, RULES, person(teams={"acme/platform": "9"}))

    assert pins.forget(connection, RULES[1], Pin("9", "10")) is False
    assert pins.forget(connection, RULES[1], Pin("9")) is True
    assert pins.forget(connection, RULES[1], Pin("9")) is False
    assert _admitted(connection) == {people.bob.user.id}

    again = pins.resolve(connection, RULES, person(teams={"acme/platform": "10"}))
    assert again["team:acme/platform"] == Pin("10")


def test_a_name_that_has_its_number_again_is_asked_of_nobody(connection, people):
    _admit_all(connection, people, "user:ada")
    pins.renew(connection, RULES[2], None, "1")
    pins.resolve(connection, RULES, person("66", "ada"))

    assert pins.renew(connection, RULES[2], Pin("1", "66"), "1") is True

    assert pins.all_pins(connection) == {"user:ada": Pin("1")}
    assert len(_admitted(connection)) == 2


def test_what_will_be_pinned_can_be_foreseen(connection):
    for who in (person("1", "ada"), person("66", "ada"), person("1", "other"), person("3", "eve")):
        before = pins.of_rules(connection, RULES)
        expected = pins.foreseen(before, RULES, who)
        assert pins.of_rules(connection, RULES) == before
        assert pins.resolve(connection, RULES, who) == expected


def _admit_all(connection, people, rule):
    """Let Ada be admitted by a rule, and Bob by another one."""
    for each, by in ((people.ada, rule), (people.bob, "id:2")):
        admitted = update(user).where(user.c.id == each.user.id)
        connection.execute(admitted.values(admitted_at=each.created_at, admitted_by=by))


def _admitted(connection):
    return set(connection.scalars(select(user.c.id).where(user.c.admitted_at.is_not(None))))
