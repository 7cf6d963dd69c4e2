"""Who is behind an account at the identity provider."""

import pytest
from sqlalchemy import select

from authservice.models import account
from authservice.services import users
from authservice.services.users import AccountNotLinkedError, Profile


def _profile(**changes):
    given = {
        "provider_id": "github",
        "account_id": "1",
        "name": "Ada",
        "email": "Ada@Example.com",
        "email_verified": True,
        "image": "https://example.com/ada.png",
        "scope": "user:email",
    }
    return Profile(**(given | changes))


def test_a_new_account_makes_a_user_and_keeps_no_upstream_token(connection):
    user, created = users.from_profile(connection, _profile())

    assert created is True
    assert len(user.id) == 32
    assert (user.name, user.email, user.email_verified) == ("Ada", "ada@example.com", True)
    row = connection.execute(select(account)).one()
    assert (row.provider_id, row.account_id, row.user_id) == ("github", "1", user.id)
    assert row.scope == "user:email"
    assert (row.access_token, row.refresh_token, row.id_token, row.password) == (None,) * 4
    assert users.find(connection, user.id) == user


def test_an_account_that_is_known_is_the_same_user(connection):
    first, _ = users.from_profile(connection, _profile())

    again, created = users.from_profile(connection, _profile())

    assert created is False
    assert again == first


def test_an_account_number_of_another_provider_is_another_person(connection):
    first, _ = users.from_profile(connection, _profile())
    other = _profile(provider_id="gitlab", email="eve@example.com")

    assert users.from_profile(connection, other)[0].id != first.id


def test_what_changed_at_the_provider_is_taken_over(connection, turnable_clock):
    first, _ = users.from_profile(connection, _profile())
    turnable_clock.advance(hours=1)

    changed = _profile(name="Ada L.", email="New@example.com", image=None)
    second, created = users.from_profile(connection, changed)

    assert created is False
    assert second.id == first.id
    assert (second.name, second.image) == ("Ada L.", None)
    assert (second.email, second.email_verified) == ("new@example.com", True)
    assert second.created_at == first.created_at
    assert second.updated_at == turnable_clock.moment
    assert users.find(connection, first.id) == second


def test_an_unverified_address_does_not_take_the_place_of_a_verified_one(connection):
    users.from_profile(connection, _profile())

    moved, _ = users.from_profile(
        connection, _profile(email="new@example.com", email_verified=False)
    )

    assert (moved.email, moved.email_verified) == ("ada@example.com", True)


def test_an_unchanged_address_once_verified_stays_so(connection):
    users.from_profile(connection, _profile())

    again, _ = users.from_profile(connection, _profile(email_verified=False))

    assert again.email_verified is True


def test_an_address_is_verified_when_the_provider_says_so(connection):
    users.from_profile(connection, _profile(email_verified=False))

    again, _ = users.from_profile(connection, _profile(email_verified=True))

    assert again.email_verified is True


def test_an_address_that_another_user_holds_is_not_taken(connection):
    users.from_profile(connection, _profile(account_id="2", email="taken@example.com"))
    first, _ = users.from_profile(connection, _profile())

    moved, _ = users.from_profile(connection, _profile(email="Taken@example.com"))

    assert moved.id == first.id
    assert moved.email == "ada@example.com"


def test_a_second_account_with_the_same_verified_address_is_linked(connection):
    first, _ = users.from_profile(connection, _profile())

    second, created = users.from_profile(connection, _profile(account_id="2", name="Ada 2"))

    assert (second.id, created, second.name) == (first.id, False, "Ada 2")
    assert len(connection.execute(select(account)).all()) == 2


@pytest.mark.attack("FAILURES-8")
@pytest.mark.parametrize(("known", "new"), [(True, False), (False, True), (False, False)])
def test_an_address_not_verified_on_both_sides_links_nobody(connection, known, new):
    users.from_profile(connection, _profile(email_verified=known))

    with pytest.raises(AccountNotLinkedError):
        users.from_profile(connection, _profile(account_id="2", email_verified=new))

    assert len(connection.execute(select(account)).all()) == 1


@pytest.mark.attack("FAILURES-49")
@pytest.mark.parametrize("missing", ["account_id", "email"])
def test_a_profile_that_identifies_nobody_is_refused(connection, missing):
    with pytest.raises(ValueError, match="identifies nobody"):
        users.from_profile(connection, _profile(**{missing: ""}))


def test_an_unknown_user_is_not_found(connection):
    assert users.find(connection, "nobody") is None
