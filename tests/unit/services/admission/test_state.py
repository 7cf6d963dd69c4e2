"""The rules in force, under which people were admitted, and an outage of the provider."""

import logging

import pytest
from sqlalchemy import select, update

from authservice.models import user
from authservice.services.admission import state
from authservice.services.admission.state import RulesInForce
from authservice.services.people import users
from tests.helpers.profiles import profile
from tests.unit.services.admission.people import admitting
from tests.unit.settings.loading import production


@pytest.fixture
def admitted(database, turnable_clock):
    """Return whether Ada is admitted, who was before this test; called with True, admit her."""
    with database.transaction() as connection:
        users.from_profile(connection, profile())

    def admitted(*, again=False):
        if again:
            with database.transaction() as connection:
                connection.execute(update(user).values(admitted_at=turnable_clock.moment))
        return database.reader.scalar(select(user.c.admitted_at)) is not None

    admitted(again=True)
    return admitted


def test_the_first_start_with_rules_makes_everyone_unconfirmed(database, admitted):
    assert state.apply(database, admitting(ADMISSION_USERS="id:1")) is True
    assert admitted() is False


def test_a_start_under_the_same_rules_changes_nothing(database, admitted):
    state.apply(database, admitting(ADMISSION_USERS="id:1 id:2"))
    admitted(again=True)

    assert state.apply(database, admitting(ADMISSION_USERS="id:2\nid:1")) is False
    assert admitted() is True


def test_a_start_under_other_rules_makes_everyone_unconfirmed(database, admitted):
    state.apply(database, admitting(ADMISSION_USERS="id:1"))
    admitted(again=True)

    assert state.apply(database, admitting(ADMISSION_USERS="id:2")) is True
    assert admitted() is False


def test_a_start_that_lets_everyone_in_is_remembered_and_asks_nobody(database, admitted):
    assert state.apply(database, production()) is True
    assert admitted() is True

    assert state.apply(database, admitting(ADMISSION_USERS="id:1")) is True
    assert admitted() is False


def test_rules_are_told_from_others():
    domain = {"ADMISSION_EMAIL_DOMAINS": "example.com"}
    several = [
        production(),
        admitting(ADMISSION_USERS="id:1"),
        admitting(ADMISSION_USERS="user:a"),
        admitting(**domain),
        admitting({"provider.trust_emails": "false"}, **domain),
    ]

    assert len({state.fingerprint(settings) for settings in several}) == len(several)


def test_what_a_start_could_not_store_the_first_sign_in_stores(database, admitted):
    state.apply(database, admitting(ADMISSION_USERS="id:1"))
    rules = RulesInForce(admitting(ADMISSION_USERS="id:2"))
    assert not state.is_current(database.reader, rules.fingerprint)

    for _ in range(2):
        with database.transaction() as connection:
            rules.ensure(connection)

    assert state.is_current(database.reader, rules.fingerprint)
    # Another process starts under its own rules; this one does not undo that.
    state.apply(database, admitting(ADMISSION_USERS="id:3"))
    with database.transaction() as connection:
        rules.ensure(connection)
    assert not state.is_current(database.reader, rules.fingerprint)


def test_what_a_start_stored_no_sign_in_stores_again(database, admitted):
    rules = RulesInForce(admitting(ADMISSION_USERS="id:1"))
    rules.apply(database)
    state.apply(database, admitting(ADMISSION_USERS="id:2"))

    with database.transaction() as connection:
        rules.ensure(connection)

    assert not state.is_current(database.reader, rules.fingerprint)


def test_an_outage_lasts_until_ten_minutes_after_the_last_failure(database, turnable_clock, caplog):
    state.apply(database, admitting(ADMISSION_USERS="id:1"))
    assert not state.outage_lasts(database.reader)

    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            with database.transaction() as connection:
                state.note_outage(connection)
            turnable_clock.advance(minutes=9, seconds=59)
            assert state.outage_lasts(database.reader)
    turnable_clock.advance(seconds=1)

    assert not state.outage_lasts(database.reader)
    assert len(caplog.records) == 1


def test_an_outage_ends_with_the_first_answer(database, turnable_clock, caplog):
    state.apply(database, admitting(ADMISSION_USERS="id:1"))
    with caplog.at_level(logging.INFO, "authservice.services.admission.state"):
        with database.transaction() as connection:
            state.note_outage(connection)
        for _ in range(2):
            with database.transaction() as connection:
                state.outage_ended(connection)

    assert not state.outage_lasts(database.reader)
    assert [record.levelname for record in caplog.records] == ["WARNING", "INFO"]
