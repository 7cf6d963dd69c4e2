"""Groups: what is stored of them at a sign-in, and whom is told how many."""

from dataclasses import replace
from datetime import UTC, datetime

from sqlalchemy import delete

from authservice.models import user
from authservice.services.people import groups, users
from authservice.services.people.memberships import Group, Memberships
from authservice.services.people.users import User
from tests.helpers.profiles import profile
from tests.unit.settings.loading import local, production

NOW = datetime(2026, 3, 1, tzinfo=UTC)
ADA = User("ada", "Ada", "ada@example.com", True, None, NOW, NOW)
MEMBERSHIPS = Memberships(
    (Group("secret", "1"), Group("acme", "2")),
    (Group("acme/platform", "3"), Group("acmes/platform", "4"), Group("secret/acme", "5")),
)


def _profile(memberships=MEMBERSHIPS, username="ada-l"):
    return profile(username=username, memberships=memberships)


def _many(number):
    return tuple(f"acme/{each:03}" for each in range(number))


def _stored(connection, settings, **profile):
    return users.from_profile(connection, groups.with_named_groups(_profile(**profile), settings))[
        0
    ]


def test_nothing_is_stored_of_organizations_that_the_settings_do_not_name(subtests, connection):
    for ini, environ in (
        ({"claims.groups_from": "acme"}, {}),
        ({"admission.organizations": "acme"}, {"ADMISSION_EVERYONE": None}),
        ({"admission.organizations": "acme/other"}, {"ADMISSION_EVERYONE": None}),
    ):
        with subtests.test(ini=ini):
            # So that nothing is left of the row before.
            connection.execute(delete(user))
            stored = _stored(connection, production(ini, environ))

            assert stored.groups == ("acme", "acme/platform")
            assert users.find(connection, stored.id) == stored


def test_where_none_is_named_none_is_stored(connection):
    assert _stored(connection, production()).groups == ()


def test_in_local_mode_that_names_none_every_group_is_stored(connection):
    assert _stored(connection, local()).groups == MEMBERSHIPS.names
    assert _stored(connection, local({"claims.groups_from": "secret"})).groups == (
        "secret",
        "secret/acme",
    )


def test_login_and_groups_follow_each_sign_in(connection):
    settings = production({"claims.groups_from": "acme"})
    first = _stored(connection, settings)
    left = Memberships((Group("acme", "2"),))
    second = _stored(connection, settings, memberships=left, username="ada-king")

    assert (first.username, first.groups) == ("ada-l", ("acme", "acme/platform"))
    assert second.id == first.id
    assert (second.username, second.groups) == ("ada-king", ("acme",))
    assert users.find(connection, first.id) == second


def test_what_was_not_asked_for_stays_as_it_is(connection):
    settings = production({"claims.groups_from": "acme"})
    first = _stored(connection, settings)

    assert _stored(connection, settings, memberships=None, username=None) == first


def test_a_sign_in_leaves_the_admission_alone(connection):
    first = _stored(connection, production())
    changed = _stored(connection, production(), username="other")

    assert (changed.admitted_at, changed.admitted_by) == (first.admitted_at, first.admitted_by)


def test_applications_learn_of_two_hundred_at_most(subtests, caplog):
    settings = production({"claims.groups_from": "acme"})

    for number, told in ((199, 199), (200, 200), (201, 200), (1000, 200)):
        with subtests.test(number=number):
            caplog.clear()
            person = replace(ADA, groups=_many(number))

            assert groups.told_to_clients(person, settings) == _many(number)[:told]
            assert groups.told_to_siblings(person, settings) == _many(number)[:told]
            assert groups.told_to_clients(person, local()) == _many(number)[:told]
            groups.note_cut(person)
            lines = [f"user ada is in {number} groups: applications are told of 200"]
            assert caplog.messages == (lines if number > told else [])


def test_siblings_learn_of_the_organizations_that_are_named_for_them_alone():
    person = replace(ADA, groups=("acme", "other", "other/team"))
    named = {"claims.groups_from": "other", "admission.organizations": "acme"}
    settings = production(named, {"ADMISSION_EVERYONE": None})

    assert groups.told_to_siblings(person, settings) == ("other", "other/team")
    assert groups.told_to_clients(person, settings) == person.groups


def test_who_was_not_asked_is_not_known_to_be_in_none():
    settings = production({"claims.groups_from": "acme"})

    assert groups.told_to_clients(ADA, settings) is None
    assert groups.told_to_siblings(ADA, settings) is None
    assert groups.told_to_siblings(replace(ADA, groups=("acme",)), production()) is None
