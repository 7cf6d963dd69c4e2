"""The teams of a person: those of the list, their parents, and those that a rule names."""

import pytest

from authservice.identity_provider.named_groups import NamedGroups
from authservice.services.admission.decision import Pin
from authservice.services.people.memberships import Group

TEAMS = "/api/user/teams"
PINS = {
    "org:acme": Pin("7"),
    **{
        f"team:acme/{slug}": Pin(number)
        for slug, number in (
            ("platform", "72"),
            ("on-call", "73"),
            ("design", "74"),
            ("gone", "79"),
        )
    },
}
MEMBER = {"members": {"octocat": "active"}}


@pytest.fixture
def standin(identity_provider_standin):
    identity_provider_standin.organization(
        "acme",
        id=7,
        members={"octocat": "active", "hubot": "active"},
        teams={
            "engineering": {"id": 71},
            "platform": {"id": 72, "parent": "engineering"},
            "on-call": {"id": 73, "parent": "platform", **MEMBER},
            "design": {"id": 74},
        },
    )
    return identity_provider_standin


@pytest.fixture
def memberships(make_sign_in, standin):
    def ask(*names, login="octocat", pins=PINS):
        named = NamedGroups(organizations=("acme",), of_rules=("acme",), teams=names)
        return make_sign_in(named=named, pins=pins).profile(login).memberships

    return ask


@pytest.fixture
def teams(memberships):
    def ask(*names, **further):
        return {each.name: each.number for each in memberships(*names, **further).teams}

    return ask


def test_a_member_of_a_team_is_one_of_all_its_parents(teams):
    assert teams() == {"acme/on-call": "73", "acme/platform": "72", "acme/engineering": "71"}


def test_who_is_in_no_team_has_none(teams):
    assert teams("acme/platform", login="hubot") == {}


def test_teams_of_another_organization_are_listed_and_not_asked_about(teams, standin, make_sign_in):
    standin.organization(
        "other",
        id=8,
        members={"octocat": "active"},
        teams={
            "top": {"id": 81},
            "middle": {"id": 82, "parent": "top"},
            "low": {"id": 83, "parent": "middle", **MEMBER},
        },
    )

    assert {"other/low", "other/middle"} <= teams().keys()
    assert not [each for each in standin.requests() if "/orgs/other" in each["path"]]


@pytest.mark.attack("ADMISSION-invited")
def test_a_team_of_an_organization_that_only_invited_counts_for_nothing(teams, standin):
    standin.organization("acme", members={"octocat": "pending"})

    assert teams("acme/on-call") == {}


def test_a_team_that_a_rule_names_is_asked_about_if_no_list_has_it(teams, standin):
    standin.fault(TEAMS, "404")

    assert teams("acme/platform") == {"acme/platform": "72", "acme/engineering": "71"}


def test_an_invitation_to_a_team_is_no_membership(teams, standin):
    standin.fault(TEAMS, "404")
    standin.organization("acme", teams={"design": {"members": {"octocat": "pending"}}})

    assert teams("acme/design") == {}


def test_a_renamed_team_keeps_its_number(teams, standin):
    standin.organization("acme", teams={"on-call": {"slug": "pager"}})

    assert teams("acme/on-call")["acme/pager"] == "73"


def test_of_a_team_that_is_gone_or_secret_nothing_is_known(subtests, memberships, standin):
    standin.organization("acme", teams={"another": {"slug": "gone", "id": 99}})
    standin.organization("acme", teams={"design": {"secret": True}})

    for name, login in (("acme/gone", "octocat"), ("acme/gone", "hubot"), ("acme/design", "hubot")):
        with subtests.test(name=name, login=login):
            found = memberships(name, login=login)

            assert name not in found.names
            assert found.unreadable == ((name, "gone"),)


def test_who_is_not_in_a_team_that_answers_is_no_member(memberships, standin):
    found = memberships("acme/platform", login="hubot")
    assert (found.names, found.unreadable) == (("acme",), ())

    standin.organization("acme", members={"octocat": "active"})
    standin.organization("other", id=8, members={"hubot": "active"})
    found = memberships("acme/platform", login="hubot")
    assert (found.names, found.unreadable) == (("other",), ())


def test_a_team_of_a_renamed_organization_is_asked_about_under_its_name_of_today(
    memberships, standin
):
    standin.organization("acme", login="acme-labs")
    standin.fault(TEAMS, "404")

    found = memberships("acme/platform", "acme/design", "acme/gone")

    assert Group("acme-labs/platform", "72") in found.teams
    assert found.unreadable == (("acme/gone", "gone"),)


def test_a_team_without_a_number_is_not_asked_about(memberships, standin):
    standin.fault(TEAMS, "404")

    assert memberships("acme/platform", pins={"org:acme": Pin("7")}).names == ("acme",)
    assert not [each for each in standin.requests() if "/teams/platform" in each["path"]]


def test_parents_in_a_circle_come_to_an_end(teams, standin):
    standin.fault(TEAMS, "404")
    standin.repair(TEAMS)
    standin.organization("acme", teams={"design": {"parent": "design", **MEMBER}})

    assert "acme/design" in teams()


def test_a_team_that_cannot_be_read_lets_nobody_in_and_takes_nothing_away(
    subtests, memberships, standin
):
    path = "/api/orgs/acme/teams/design/memberships/octocat"

    for kind in ("forbidden", "redirect", "not_json", "text"):
        with subtests.test(kind=kind), standin.failing(path, kind):
            found = memberships("acme/design")

            assert Group("acme/on-call", "73") in found.teams
            assert "acme/design" not in found.names
            assert [name for name, _ in found.unreadable] in ([], ["acme"])


def test_many_teams_do_not_ask_for_ever(memberships, standin, caplog):
    names = tuple(f"acme/t{number}" for number in range(60))

    found = memberships(*names, pins=PINS | {f"team:{name}": Pin("1") for name in names})

    assert "acme/on-call" in found.names
    # Nobody loses anything by what was not asked.
    assert ("acme/t59", "unreadable") in found.unreadable
    assert sum("/orgs/acme/teams/t" in each["path"] for each in standin.requests()) <= 30
    assert "more than 30 questions" in caplog.text
