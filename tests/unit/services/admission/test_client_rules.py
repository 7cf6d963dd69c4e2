"""Whom a client is for, as its list and what is stored of a person decide."""

import pytest
from sqlalchemy import delete

from authservice.models import account
from authservice.services.admission import client_rules, pins
from authservice.services.people import users
from authservice.services.people.memberships import Group, Memberships
from tests.helpers.profiles import profile
from tests.unit.services.admission.people import admitting, parsed, person
from tests.unit.settings.loading import local

SETTINGS = admitting(ADMISSION_EVERYONE="true", CLAIMS_GROUPS_FROM="acme")
PINNED = {"org:acme": "7", "team:acme/platform": "70", "user:ada": "1", "org:other": "8"}


@pytest.fixture
def come(connection):
    """Sign in with an account; returns the id of its user."""

    def sign_in(account_id="1", username="ada", email="ada@example.com", groups=(), **changes):
        numbered = [Group(name, number) for name, number in dict(groups).items()]
        address = {"email": email, "email_verified": email is not None, "primary_email": email}
        theirs = profile(
            account_id,
            username,
            username=username,
            memberships=Memberships(
                tuple(each for each in numbered if "/" not in each.name),
                tuple(each for each in numbered if "/" in each.name),
            ),
            **(address | changes),
        )
        return users.from_profile(connection, theirs)[0].id

    return sign_in


@pytest.fixture
def pinned(connection):
    for entry, number in PINNED.items():
        pins.renew(connection, *parsed(entry), None, number)


def test_a_client_without_a_list_is_for_everyone_and_nothing_is_read(come):
    assert client_rules.allows(None, None, None, "nobody")


@pytest.mark.usefixtures("pinned")
def test_each_kind_of_entry_fits_the_person_whom_it_means(subtests, connection, come):
    ada = come(groups={"acme": "7", "acme/platform": "70", "other": "8"})

    for entry, fits in (
        ("org:acme", True),
        ("team:acme/platform", True),
        ("user:ada", True),
        ("id:1", True),
        ("domain:example.com", True),
        ("org:other", False),
        ("team:acme/other", False),
        ("user:bob", False),
        ("id:11", False),
        ("domain:ample.com", False),
    ):
        with subtests.test(entry=entry):
            assert client_rules.allows(connection, SETTINGS, [entry], ada) is fits
            assert client_rules.allows(connection, SETTINGS, ["user:nobody", entry], ada) is fits


@pytest.mark.attack("ADMISSION-listed-name")
@pytest.mark.usefixtures("pinned")
def test_who_has_taken_a_name_is_not_meant_by_it(subtests, connection, come):
    stranger = come("66", "ada", groups={"acme": "666", "acme/platform": "6666"})
    former = come("1", "renamed", groups={"acme": "7", "acme/platform": "70"}, email=None)

    for entry in PINNED:
        with subtests.test(entry=entry):
            fits = entry != "org:other"
            assert not client_rules.allows(connection, SETTINGS, [entry], stranger)
            assert client_rules.allows(connection, SETTINGS, [entry], former) is fits


def test_a_name_without_a_number_is_nobodys(connection, come):
    ada = come(groups={"acme": "7"})

    assert not client_rules.allows(connection, SETTINGS, ["org:acme", "user:ada"], ada)
    assert pins.all_pins(connection) == {}


@pytest.mark.usefixtures("pinned")
def test_a_name_that_is_anothers_now_admits_nobody_any_more(connection, come):
    ada = come()
    pins.mark(connection, person("66", "ada"))

    assert not client_rules.allows(connection, SETTINGS, ["user:ada"], ada)


def test_in_local_mode_names_are_whose_they_are_today(subtests, connection, come):
    ada = come(groups={"acme": "acme", "acme/platform": "acme/platform"})

    for entry, fits in (
        ("org:acme", True),
        ("team:acme/platform", True),
        ("user:ada", True),
        ("org:other", False),
        ("user:1", False),
    ):
        with subtests.test(entry=entry):
            assert client_rules.allows(connection, local(), [entry], ada) is fits


@pytest.mark.usefixtures("pinned")
def test_an_organization_whose_groups_are_not_read_admits_nobody(connection, come):
    ada = come(groups={"acme": "7", "acme/platform": "70"})
    unread = admitting(ADMISSION_EVERYONE="true")

    for entry in ("org:acme", "team:acme/platform"):
        assert not client_rules.allows(connection, unread, [entry], ada)
        assert client_rules.allows(connection, local(), [entry], ada)
        elsewhere = local(environ={"CLAIMS_GROUPS_FROM": "other"})
        assert not client_rules.allows(connection, elsewhere, [entry], ada)


@pytest.mark.usefixtures("pinned")
def test_addresses_count_where_the_provider_is_trusted_and_has_verified_them(connection, come):
    listed = ["domain:example.com"]
    distrusting = admitting({"provider.trust_emails": "false"}, ADMISSION_EVERYONE="true")

    assert client_rules.allows(connection, SETTINGS, listed, come(email="ada@Example.com"))
    assert not client_rules.allows(connection, distrusting, listed, come())
    assert not client_rules.allows(connection, SETTINGS, listed, come(email=None))
    # One that is verified, and not the primary one.
    assert not client_rules.allows(connection, SETTINGS, listed, come(primary_email=None))


def test_a_user_without_an_account_is_nobody_on_a_list(connection, come):
    ada = come()
    connection.execute(delete(account))

    assert not client_rules.allows(connection, SETTINGS, ["user:ada", "id:1"], ada)
