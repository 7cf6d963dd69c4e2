"""Sign-ins of one person that come together: one user, and no sign-in is turned away.

Held in the middle on PostgreSQL, where they run side by side.
"""

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import select

from authservice.models import account, user
from authservice.services.people import users
from authservice.services.people.users import AccountNotLinkedError
from tests.helpers.lock_waits import wait_until_blocked
from tests.helpers.profiles import profile

pytestmark = pytest.mark.engines("postgresql")


@pytest.fixture
def sign_in_together(database):
    """Sign in with two profiles, the second of which begins before the first is committed."""

    def sign_in(**changes):
        with database.transaction() as connection:
            return users.from_profile(connection, profile(**changes))

    def together(first, second):
        with ThreadPoolExecutor(1) as other:
            with database.transaction() as connection:
                found = users.from_profile(connection, profile(**first))
                waiting = other.submit(sign_in, **second)
                wait_until_blocked(database, waiting)
            return found, waiting.result()

    return together


def rows(database, table, column):
    return sorted(database.reader.scalars(select(table.c[column])).all())


def test_the_same_account_makes_one_user(sign_in_together, database):
    (first, created), (second, created_again) = sign_in_together({}, {"name": "Ada Lovelace"})

    assert (created, created_again) == (True, False)
    assert (second.id, second.name) == (first.id, "Ada Lovelace")
    assert rows(database, account, "account_id") == ["1"]


def test_of_two_accounts_with_one_address_the_second_is_turned_away(sign_in_together, database):
    with pytest.raises(AccountNotLinkedError):
        sign_in_together({}, {"account_id": "2"})

    assert rows(database, account, "account_id") == ["1"]
    assert rows(database, user, "email") == ["ada@example.com"]


def test_one_account_with_two_addresses_makes_one_user(sign_in_together, database):
    (first, _), (second, created) = sign_in_together({}, {"email": "lovelace@example.com"})

    assert (second.id, created) == (first.id, False)
    assert rows(database, user, "email") == ["lovelace@example.com"]


def test_an_account_that_the_provider_gives_an_id_makes_one_user(sign_in_together, database):
    (first, _), (second, created) = sign_in_together({"user_id": "ada"}, {"user_id": "ada"})

    assert (first.id, second.id, created) == ("ada", "ada", False)


@pytest.fixture
def two_people(database):
    with database.transaction() as connection:
        users.from_profile(connection, profile())
        users.from_profile(connection, profile("2", email="grace@example.com"))


def test_of_two_who_move_to_one_address_the_second_has_none(sign_in_together, database, two_people):
    new = {"email": "new@example.com"}

    (first, _), (second, _) = sign_in_together(new, new | {"account_id": "2", "name": "Grace"})

    assert first.email == "new@example.com"
    assert (second.email, second.name) == ("github-2@unverified.invalid", "Grace")
    assert rows(database, user, "email") == ["github-2@unverified.invalid", "new@example.com"]


def test_a_change_that_is_being_made_is_not_undone(sign_in_together, database, two_people):
    changed = {"name": "Ada Lovelace", "email": "lovelace@example.com"}

    (first, _), (second, _) = sign_in_together(changed, changed)

    assert first == second
    assert second.updated_at == first.updated_at
