"""The organizations and teams of a person, as far as the provider lets us see them."""

from itertools import product
from urllib.parse import parse_qs, urlsplit

import pytest

from authservice.identity_provider import SignInFailedError
from authservice.identity_provider.named_groups import NamedGroups
from authservice.services.admission.decision import Pin
from authservice.services.people.memberships import Group, Memberships

ORGS, TEAMS = "/api/user/memberships/orgs", "/api/user/teams"
ACME = Group("acme", "7")


def named(*organizations, teams=(), claims=()):
    return NamedGroups(
        organizations=(*organizations, *claims), of_rules=organizations, teams=tuple(teams)
    )


@pytest.fixture
def standin(identity_provider_standin):
    identity_provider_standin.organization("Acme", id=7, members={"octocat": "active"})
    return identity_provider_standin


@pytest.fixture
def memberships(make_sign_in, standin):
    def ask(*organizations, patience=10.0, login="octocat", **further):
        pins = {"org:acme": Pin("7")}
        sign_in = make_sign_in(named=named(*organizations, **further), pins=pins, patience=patience)
        return sign_in.profile(login).memberships

    return ask


def unreadable(memberships):
    assert (memberships.organizations, memberships.teams) == ((), ())
    return memberships.unreadable


def test_the_scope_is_asked_for_when_a_rule_or_a_claim_needs_it(make_sign_in):
    def scope(**changes):
        url = make_sign_in(**changes).provider.authorization_url("s", "v" * 43)
        return parse_qs(urlsplit(url).query)["scope"]

    assert scope() == ["read:user user:email"]
    assert scope(named=named("acme")) == ["read:user user:email read:org"]
    assert scope(named=named(claims=["acme"])) == ["read:user user:email read:org"]


def test_nothing_is_asked_about_groups_unless_somebody_needs_it(sign_in, standin):
    profile = sign_in.profile()

    assert profile.memberships is None
    assert profile.username == "octocat"
    assert (standin.requests(ORGS), standin.requests(TEAMS)) == ([], [])


def test_an_organization_has_its_number_and_its_name_in_lower_case(memberships):
    assert memberships("acme") == Memberships((ACME,))


def test_of_a_listed_organization_nothing_more_is_asked(memberships, standin):
    memberships("acme")

    [listed] = standin.requests(ORGS)
    assert listed["query"] == {"state": "active", "per_page": "100", "page": "1"}
    assert standin.requests(f"{ORGS}/acme") == []


def test_a_renamed_organization_keeps_its_number(memberships, standin):
    standin.organization("Acme", login="Acme-Labs")

    assert memberships("acme") == Memberships((Group("acme-labs", "7"),))
    assert standin.requests(f"{ORGS}/acme") == []


def test_who_is_no_member_is_asked_about_by_name_and_has_no_group(memberships, standin):
    assert memberships("acme", login="hubot") == Memberships()
    assert len(standin.requests(f"{ORGS}/acme")) == 1


def test_an_organization_of_claims_only_is_not_asked_about_by_name(memberships, standin):
    assert memberships("acme", claims=["other"]).organizations == (ACME,)
    assert standin.requests(f"{ORGS}/other") == []


@pytest.mark.attack("ADMISSION-invited")
def test_an_invitation_is_no_membership(memberships, standin):
    standin.organization(
        "Acme", members={"octocat": "pending"}, teams={"core": {"members": {"octocat": "pending"}}}
    )

    assert memberships("acme", teams=["acme/core"]) == Memberships()


def test_an_organization_that_lets_nobody_see_says_why(subtests, memberships, standin):
    for reason, name in (("saml", "id:7"), ("restricted", "acme")):
        with subtests.test(reason=reason):
            standin.organization("Acme", **{"saml": False, "restricted": False, reason: True})

            assert unreadable(memberships("acme")) == ((name, reason),)


def test_an_organization_that_single_sign_on_keeps_out_of_the_list_has_its_number(
    memberships, standin
):
    standin.organization("Acme", login="acme-labs", saml=True)

    assert unreadable(memberships("acme")) == (("id:7", "saml"),)


def test_of_an_organization_that_is_gone_nothing_is_known(memberships, standin):
    standin.organization("Acme", login="acme-labs", hidden=True)
    assert unreadable(memberships("acme")) == (("acme", "gone"),)

    standin.organization("stranger", login="acme", id=666)
    assert unreadable(memberships("acme")) == (("acme", "gone"),)


def test_an_answer_about_the_organization_itself_that_is_none_leaves_it_open(
    subtests, memberships, standin
):
    for kind, reason in (
        ("forbidden", "forbidden"),
        ("redirect", "unreadable"),
        ("not_json", "unreadable"),
        ("text", "unreadable"),
    ):
        with subtests.test(kind=kind), standin.failing("/api/orgs/acme", kind):
            assert unreadable(memberships("acme", login="hubot")) == (("acme", reason),)


def test_what_one_organization_hides_does_not_concern_another(memberships, standin):
    standin.organization("Closed", id=9, saml=True, members={"octocat": "active"})

    found = memberships("closed", "acme")

    assert found == Memberships((ACME,), (), (("id:9", "saml"), ("closed", "saml")))


def test_an_answer_about_one_organization_that_is_none_lets_nobody_in(
    subtests, memberships, standin
):
    for kind, reason in (
        ("forbidden", "forbidden"),
        ("redirect", "unreadable"),
        ("not_json", "unreadable"),
        ("deep", "unreadable"),
        ("empty", "unreadable"),
        ("text", "unreadable"),
    ):
        with subtests.test(kind=kind), standin.failing(f"{ORGS}/closed", kind):
            found = memberships("closed", "acme")

            assert found == Memberships((ACME,), (), (("closed", reason),))


def failure_at(standin, sign_in, path, kind, login="octocat"):
    with standin.failing(path, kind), pytest.raises(SignInFailedError) as failure:
        sign_in.profile(login)
    return failure.value.code


def test_an_outage_is_told_apart_from_a_no(subtests, make_sign_in, standin):
    standin.organization(
        "Acme", teams={"core": {}, "crew": {"parent": "core", "members": {"hubot": "active"}}}
    )
    standin.organization("Acme", members={"hubot": "active"})
    standin.organization(
        "Acme",
        teams={
            "middle": {"parent": "core"},
            "crew": {"parent": "middle", "members": {"hubot": "active"}},
        },
    )
    groups = named("acme", "closed", teams=["acme/core", "acme/x"])

    for path, kind in product(
        (ORGS, TEAMS, f"{ORGS}/closed", "/api/orgs/acme/teams/middle"),
        ("500", "502", "429", "reset", "truncated", "rate_limited", "secondary_limit"),
    ):
        with subtests.test(path=path, kind=kind):
            code = failure_at(standin, make_sign_in(named=groups), path, kind, "hubot")

            assert code == "provider_unavailable"


def test_a_rate_limit_says_until_when(make_sign_in, standin):
    standin.fault(ORGS, "rate_limited")

    with pytest.raises(SignInFailedError, match=r"status 403, until 20\d\d-\d\d-\d\dT"):
        make_sign_in(named=named("acme")).profile()


def test_a_slow_provider_is_given_up(subtests, make_sign_in, standin):
    for path, kind in product((ORGS, TEAMS, f"{ORGS}/closed"), ("slow", "drip")):
        with subtests.test(path=path, kind=kind):
            sign_in = make_sign_in(named=named("acme", "closed"), patience=1.0)

            assert failure_at(standin, sign_in, path, kind) == "provider_unavailable"


def test_a_list_that_is_none_ends_the_sign_in(subtests, make_sign_in, standin):
    for path, kind in product((ORGS, TEAMS), ("not_json", "deep", "empty", "text")):
        with subtests.test(path=path, kind=kind):
            code = failure_at(standin, make_sign_in(named=named("acme")), path, kind)

            assert code == "unable_to_get_user_info"


def test_without_the_list_each_organization_is_asked_about(subtests, memberships, standin):
    for kind in ("404", "forbidden"):
        with subtests.test(kind=kind), standin.failing(ORGS, kind):
            assert memberships("acme").organizations == (ACME,)


@pytest.mark.attack("ADMISSION-endless")
def test_a_list_without_end_is_read_for_ten_pages(subtests, memberships, standin):
    for path in (ORGS, TEAMS):
        with subtests.test(path=path), standin.failing(path, "endless"):
            before = len(standin.requests(path))

            assert memberships("acme").organizations == (ACME,)
            assert len(standin.requests(path)) == before + 10


def test_a_list_of_many_pages_is_read_to_its_end(memberships, standin):
    for number in range(150):
        standin.organization(f"o{number}", id=1000 + number, members={"octocat": "active"})
    standin.organization("last", id=9999, members={"octocat": "active"})

    assert Group("last", "9999") in memberships("last").organizations
    assert len(standin.requests(ORGS)) == 2


def test_rules_about_many_organizations_do_not_ask_for_ever(memberships, standin, caplog):
    many = [f"o{number}" for number in range(40)]

    found = memberships(*many)

    assert found.organizations == (ACME,)
    # Nobody loses anything by what was not asked.
    assert ("o39", "unreadable") in found.unreadable
    assert {name for name, _ in found.unreadable} == set(many)
    assert sum(each["path"].startswith(f"{ORGS}/") for each in standin.requests()) == 20
    assert "of 40 organizations, 20 are asked for" in caplog.text


@pytest.mark.attack("ADMISSION-nonsense")
def test_an_organization_without_a_number_or_a_name_is_none(subtests, memberships, standin):
    for changes in (
        {"id": "7"},
        {"id": True},
        {"id": 0},
        {"id": None},
        {"login": "a b"},
        {"login": "a\nb"},
        {"login": None},
        {"login": "../x"},
    ):
        with subtests.test(changes=changes):
            standin.organization("Acme", **({"id": 7, "login": "Acme"} | changes))

            assert memberships("acme").organizations == ()
