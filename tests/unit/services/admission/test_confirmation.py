"""Confirmations: which count, how long, and which the condition of a statement accepts."""

from datetime import timedelta

import pytest
from sqlalchemy import select, update

from authservice.models import user
from authservice.services.admission import confirmation, state
from authservice.services.people import users
from authservice.services.revocation import removal
from tests.unit.services.admission.people import admitting

RULES = admitting(ADMISSION_ORGANIZATIONS="acme", ADMISSION_USERS="id:1")
DAY = timedelta(days=1)
ORGANIZATION, ACCOUNT = "org:acme", "id:1"


@pytest.fixture
def in_force(connection):
    state.put_in_force(connection, RULES)
    return state.fingerprint(RULES)


@pytest.fixture
def confirm(connection, people, in_force, turnable_clock):
    """Confirm Ada's admission; returns whether that counted."""

    def confirm(began_at=None, admitted_by=ORGANIZATION, fingerprint=in_force):
        return confirmation.confirm(
            connection,
            user_id=people.ada.user.id,
            account_id="ada",
            began_at=began_at or turnable_clock.moment,
            admitted_by=admitted_by,
            fingerprint=fingerprint,
        )

    return confirm


@pytest.fixture
def ada(connection, people):
    """Read Ada as she is stored."""
    return lambda: users.find(connection, people.ada.user.id)


@pytest.fixture
def counts(connection, ada):
    """Tell whether Ada is admitted, which the condition in statements has to tell too."""

    def counts(settings=RULES):
        who = ada()
        counted = confirmation.is_admitted(who, settings.admission, connection)
        after = confirmation.confirmed_after(who, settings.admission, connection)
        found = select(user.c.id).where(user.c.id == who.id, confirmation.ADMITTED)
        assert (connection.scalar(found, {"confirmed_after": after}) is not None) is counted
        return counted

    return counts


def test_a_confirmation_is_stored(confirm, ada, turnable_clock, counts):
    assert counts() is False
    assert confirm() is True
    assert (ada().admitted_at, ada().admitted_by) == (turnable_clock.moment, ORGANIZATION)
    assert counts() is True


def test_one_that_began_earlier_does_not_replace_a_newer_one(confirm, ada, turnable_clock):
    confirm(admitted_by=ACCOUNT)

    assert confirm(turnable_clock.moment - DAY) is True
    assert (ada().admitted_at, ada().admitted_by) == (turnable_clock.moment, ACCOUNT)


def test_one_that_began_before_a_removal_does_not_count(
    transaction, confirm, ada, turnable_clock, counts
):
    began_at = turnable_clock.moment
    confirm()
    removal.remove(transaction, "ada", began_at, provider_id="github")

    assert confirm(began_at) is False
    assert ada().admitted_at is None
    assert counts() is False
    assert confirm(began_at + timedelta(milliseconds=1)) is True


def test_one_under_other_rules_does_not_count(confirm, ada):
    other = state.fingerprint(admitting(ADMISSION_USERS="id:1"))

    assert confirm(fingerprint=other) is False
    assert ada().admitted_at is None


def test_what_an_organization_decided_counts_for_a_day(confirm, counts, turnable_clock):
    confirm()
    turnable_clock.advance(days=1)
    assert counts() is True

    turnable_clock.advance(seconds=1)
    assert counts() is False


def test_what_an_account_decided_counts_until_it_is_taken_back(confirm, counts, turnable_clock):
    confirm(admitted_by=ACCOUNT)
    turnable_clock.advance(days=1000)

    assert counts() is True


def test_while_the_provider_is_away_it_counts_for_another_day(
    connection, confirm, counts, turnable_clock
):
    confirm()
    turnable_clock.advance(days=1, seconds=1)
    assert counts() is False
    state.note_outage(connection)
    assert counts() is True

    turnable_clock.advance(days=1)
    state.note_outage(connection)
    assert counts() is False


def test_an_outage_lets_nobody_in_who_was_removed(
    connection, transaction, confirm, counts, turnable_clock
):
    confirm()
    state.note_outage(connection)
    removal.remove(transaction, "ada", turnable_clock.moment, provider_id="github")

    assert counts() is False


def test_where_everyone_is_let_in_nobody_is_due(connection, counts, turnable_clock):
    everyone = admitting(ADMISSION_EVERYONE="true")
    assert counts(everyone) is True
    connection.execute(update(user).values(admitted_at=turnable_clock.moment, admitted_by="org:a"))
    turnable_clock.advance(days=1000)
    assert counts(everyone) is True
