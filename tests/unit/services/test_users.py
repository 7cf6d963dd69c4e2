"""Who is behind an account at the identity provider."""

import pytest
from sqlalchemy import select

from authservice.models import account
from authservice.services.people import users
from authservice.services.people.memberships import Group, Memberships
from authservice.services.people.users import AccountNotLinkedError, AddressesUnreadError, Profile


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


def test_without_a_verified_address_one_of_ours_stands_in_for_it(subtests, connection):
    for number, without in enumerate(({"email": None}, {"email": ""}, {"email_verified": False})):
        with subtests.test(without=without):
            user, _ = users.from_profile(connection, _profile(account_id=str(number), **without))

            expected = f"github-{number}@unverified.invalid"
            assert (user.email, user.email_verified) == (expected, False)
            assert user.verified_email is None


def test_an_address_that_is_no_longer_verified_is_theirs_no_longer(subtests, connection):
    for without in ({"email": None}, {"email_verified": False}):
        with subtests.test(without=without):
            first, _ = users.from_profile(connection, _profile())

            again, _ = users.from_profile(connection, _profile(**without))

            assert again.id == first.id
            assert (again.email, again.email_verified) == ("github-1@unverified.invalid", False)
            assert users.find(connection, first.id) == again


def test_an_address_is_verified_when_the_provider_says_so(connection):
    users.from_profile(connection, _profile(email_verified=False))

    again, _ = users.from_profile(connection, _profile(email_verified=True))

    assert again.email_verified is True
    assert again.verified_email == again.email == "ada@example.com"


def test_an_address_that_could_not_be_read_stays(connection):
    first, _ = users.from_profile(connection, _profile(primary_email="ada@example.com"))
    unread = {"email": None, "email_verified": False, "scope": None, "addresses_unread": True}

    again, _ = users.from_profile(connection, _profile(name="Ada L.", **unread))

    assert (again.id, again.name) == (first.id, "Ada L.")
    assert (again.email, again.email_verified) == ("ada@example.com", True)
    assert users.shows_addresses(connection, first.id) is True
    assert connection.scalar(select(account.c.primary_email)) == "ada@example.com"


def test_nobody_is_made_of_an_account_whose_addresses_could_not_be_read(connection):
    with pytest.raises(AddressesUnreadError):
        users.from_profile(connection, _profile(email=None, addresses_unread=True))

    assert connection.execute(select(account)).all() == []


def test_whether_the_provider_shows_the_addresses_is_what_the_last_sign_in_found(connection):
    unknown, _ = users.from_profile(connection, _profile(scope=None))
    assert users.shows_addresses(connection, unknown.id) is None

    found = []
    for scope in ("read:user user:email", "read:user", "read:user user:email"):
        users.from_profile(connection, _profile(scope=scope))
        found.append(users.shows_addresses(connection, unknown.id))

    assert found == [True, False, True]


def test_letters_of_ascii_alone_are_made_small(connection):
    user, _ = users.from_profile(connection, _profile(email="\u212aATE@\u00c9xample.com"))

    assert user.email == "\u212aate@\u00c9xample.com"


def test_an_address_that_another_user_holds_is_not_taken_and_the_former_one_is_gone(connection):
    users.from_profile(connection, _profile(account_id="2", email="taken@example.com"))
    first, _ = users.from_profile(connection, _profile())

    moved, _ = users.from_profile(connection, _profile(email="Taken@example.com", name="Ada L."))

    assert (moved.id, moved.name) == (first.id, "Ada L.")
    assert (moved.email, moved.email_verified) == ("github-1@unverified.invalid", False)
    assert users.from_profile(connection, _profile(email="taken@example.com"))[0].id == first.id


@pytest.mark.attack("FAILURES-8", "FAILURES-account-by-address")
def test_an_address_not_verified_on_both_sides_links_nobody(subtests, connection):
    for known, new in ((True, False), (False, True), (False, False)):
        with subtests.test(known=known, new=new):
            email = f"{known}-{new}@example.com"
            holder = _profile(account_id=f"{email} 1", email=email, email_verified=known)
            first, _ = users.from_profile(connection, holder)

            other = _profile(account_id=f"{email} 2", email=email, email_verified=new)
            second, created = users.from_profile(connection, other)

            assert (created, second.id == first.id) == (True, False)
            assert users.find(connection, first.id) == first


@pytest.mark.attack("FAILURES-account-by-address")
def test_a_verified_address_links_nobody_either(connection):
    first, _ = users.from_profile(connection, _profile())

    with pytest.raises(AccountNotLinkedError) as refused:
        users.from_profile(connection, _profile(account_id="2", name="Renamed"))

    assert refused.value.holder_id == first.id
    assert users.find(connection, first.id) == first
    assert len(connection.execute(select(account)).all()) == 1


@pytest.mark.attack("FAILURES-account-by-address")
def test_nobody_has_an_address_that_stands_in_for_one(connection):
    claimed = _profile(email="github-2@Unverified.Invalid")

    user, _ = users.from_profile(connection, claimed)

    assert (user.email, user.email_verified) == ("github-1@unverified.invalid", False)


@pytest.mark.attack("FAILURES-49")
def test_a_profile_that_identifies_nobody_is_refused(connection):
    with pytest.raises(ValueError, match="identifies nobody"):
        users.from_profile(connection, _profile(account_id=""))


def test_an_unknown_user_is_not_found(connection):
    assert users.find(connection, "nobody") is None


def _member_of(*groups):
    numbered = [Group(name, str(number)) for name, number in groups]
    return Memberships(
        organizations=tuple(group for group in numbered if "/" not in group.name),
        teams=tuple(group for group in numbered if "/" in group.name),
    )


def test_the_numbers_of_groups_are_kept_and_follow_each_sign_in(connection):
    def stored():
        return connection.scalar(select(account.c.memberships))

    for memberships, numbers in [
        (_member_of(("acme", 7), ("acme/platform", 70)), {"acme": "7", "acme/platform": "70"}),
        (_member_of(("acme", 8)), {"acme": "8"}),
        (_member_of(), None),
        (_member_of(("acme", 8)), {"acme": "8"}),
        (None, None),
    ]:
        users.from_profile(connection, _profile(memberships=memberships))
        assert stored() == numbers
        assert Memberships.of_numbers(numbers or {}) == (memberships or _member_of())
