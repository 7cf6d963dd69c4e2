"""Groups are called as the settings call them, by their numbers."""

from authservice.services.admission.decision import Pin
from authservice.services.admission.pinned_groups import under_pinned_names
from authservice.services.people.memberships import Group, Memberships

PINS = {"org:acme": Pin("7"), "team:acme/platform": Pin("71"), "user:octocat": Pin("7")}
ACME, PLATFORM = Group("acme", "7"), Group("acme/platform", "71")


def named(organizations, teams=()):
    return under_pinned_names(
        Memberships(tuple(organizations), tuple(teams), (("x", "saml"),)), PINS
    )


def test_what_has_the_pinned_number_has_the_name_of_the_settings():
    found = named([Group("acme-labs", "7")], [Group("acme-labs/core", "71")])

    assert found == Memberships((ACME,), (PLATFORM,), (("x", "saml"),))


def test_teams_of_a_renamed_organization_belong_to_its_name():
    assert named([Group("acme-labs", "7")], [Group("acme-labs/design", "72")]).names == (
        "acme",
        "acme/design",
    )


def test_a_stranger_that_took_the_name_is_left_out_with_its_teams():
    found = named(
        [Group("acme-labs", "7"), Group("acme", "66")],
        [Group("acme/platform", "661"), Group("acme/x", "662"), Group("acme-labs/x", "73")],
    )

    assert found.names == ("acme", "acme/x")
    assert Group("acme/x", "73") in found.teams


def test_a_team_that_took_the_name_of_another_is_left_out():
    found = named([ACME], [Group("acme/platform", "99"), Group("acme/core", "71")])

    assert found.teams == (PLATFORM,)


def test_what_has_no_number_here_is_left_out_with_its_teams():
    assert named([Group("other", "5")], [Group("other/x", "51"), Group("zeta/x", "52")]).names == ()
