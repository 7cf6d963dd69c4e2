"""Decisions about a person: by number where a rule has a name, and with a reason for each no."""

import pytest

from authservice.services.admission.decision import (
    Decision,
    Person,
    Pin,
    Reason,
    Why,
    decide,
    domain_of,
    requires_recheck,
)
from authservice.services.people.users import Profile
from tests.unit.services.admission.people import parsed, person


def decided(entry, who, pins=(), *, trust_emails=True):
    """Return the rule that admits, or why the only rule does not."""
    decision = decide(parsed(entry), dict(pins), who, trust_emails=trust_emails)
    return decision.admitted_by or decision.reasons[0].why


def test_an_account_is_admitted_by_its_number():
    assert decided("id:12", person("12")) == "id:12"
    assert decided("id:12", person("123")) is Why.ANOTHER_ACCOUNT


def test_a_login_means_the_number_that_is_pinned_for_it():
    pins = {"user:ada": Pin("12")}

    assert decided("user:ada", person("12", "ada"), pins) == "user:ada"
    assert decided("user:ada", person("12", "renamed"), pins) == "user:ada"
    assert decided("user:ada", person("13", "ada"), pins) is Why.ANOTHER_ACCOUNT
    assert decided("user:ada", person("12", "ada")) is Why.NAME_UNRESOLVED


def test_members_of_the_pinned_organization_are_admitted_whatever_its_name():
    pins = {"org:acme": Pin("7")}

    assert decided("org:acme", person(organizations={"acme": "7"}), pins) == "org:acme"
    assert decided("org:acme", person(organizations={"new-name": "7"}), pins) == "org:acme"
    assert decided("org:acme", person(organizations={"acme": "8"}), pins) is Why.NOT_A_MEMBER
    assert decided("org:acme", person(teams={"acme/platform": "7"}), pins) is Why.NOT_A_MEMBER
    assert decided("org:acme", person(organizations={"acme": "7"})) is Why.NAME_UNRESOLVED


def test_a_team_has_a_number_of_its_own():
    pins = {"team:acme/platform": Pin("9")}

    assert decided("team:acme/platform", person(teams={"acme/infra": "9"}), pins)
    assert decided("team:acme/platform", person(organizations={"acme": "9"}), pins) is (
        Why.NOT_A_MEMBER
    )


@pytest.mark.parametrize("entry", ["user:ada", "org:acme", "team:acme/platform"])
def test_a_name_that_was_found_with_another_number_admits_nobody(entry):
    who = person("1", "ada", organizations={"acme": "1"}, teams={"acme/platform": "1"})

    assert decided(entry, who, {entry: Pin("1")}) == entry
    assert decided(entry, who, {entry: Pin("1", "2")}) is Why.NAME_REASSIGNED


def test_someone_whose_groups_were_not_asked_for_is_in_none():
    assert decided("org:acme", Person("1"), {"org:acme": Pin("7")}) is Why.NOT_A_MEMBER


def test_an_organization_that_hides_its_members_is_said_to():
    who = person(unreadable=[("Acme", "saml")])
    pins = {"org:acme": Pin("7"), "team:acme/platform": Pin("9")}
    decision = decide(parsed("org:acme", "team:acme/platform"), pins, who, trust_emails=True)

    assert [(each.why, each.detail) for each in decision.reasons] == [(Why.UNREADABLE, "saml")] * 2
    assert str(decision.reasons[0]) == (
        "org:acme: the organization does not let us see its members (saml)"
    )


def test_the_domain_of_the_primary_address_admits():
    entry = "domain:example.com"

    assert decided(entry, person(email="ada@example.com")) == entry
    assert decided(entry, person(email="ADA@EXAMPLE.COM")) == entry
    assert decided(entry, person(email='"x@evil.org"@example.com')) == entry
    for email in (
        "ada@sub.example.com",
        "ada@example.com.",
        "ada@example.com@evil.org",
        "ada@xexample.com",
        "ada@\uff45xample.com",
    ):
        assert decided(entry, person(email=email)) is Why.ANOTHER_DOMAIN
    assert decided(entry, person(email=None)) is Why.NO_ADDRESS


def test_an_address_counts_only_if_the_provider_is_trusted():
    who = person(email="ada@example.com")

    assert decided("domain:example.com", who, trust_emails=False) is Why.ADDRESSES_NOT_TRUSTED


def test_a_domain_counts_in_its_ascii_form():
    assert domain_of("ada@bücher.example") == "xn--bcher-kva.example"
    assert domain_of("ada@XN--BCHER-KVA.example") == "xn--bcher-kva.example"
    assert domain_of("ada@☃☃..example") is None
    assert domain_of("ada@") is None


def test_of_several_rules_one_that_need_not_be_asked_again_admits():
    rules = parsed("org:acme", "team:acme/platform", "id:1")
    who = person("1", organizations={"acme": "7"}, teams={"acme/platform": "9"})
    pins = {"org:acme": Pin("7"), "team:acme/platform": Pin("9")}

    assert decide(rules, pins, who, trust_emails=True) == Decision(str(rules[2]))
    assert decide(rules[:2], pins, who, trust_emails=True).admitted_by == str(rules[0])


def test_it_is_open_whether_those_may_stay_whose_rule_has_no_number_yet():
    decision = decide(parsed("org:acme", "id:2"), {}, person("1"), trust_emails=True)

    assert decision.leaves_open("org:acme")
    assert not decision.leaves_open("id:2")


def test_every_rule_that_did_not_fit_has_its_reason():
    rules = parsed("id:2", "domain:example.com")

    assert decide(rules, {}, person("1"), trust_emails=True).reasons == (
        Reason(rules[0], Why.ANOTHER_ACCOUNT),
        Reason(rules[1], Why.NO_ADDRESS),
    )


def test_membership_is_asked_again_and_nothing_else():
    assert [
        entry
        for entry in ("org:acme", "team:acme/x", "user:org", "id:1", "domain:a.example", "everyone")
        if requires_recheck(entry)
    ] == ["org:acme", "team:acme/x"]


def test_a_profile_is_a_person():
    profile = Profile(
        provider_id="github",
        account_id="12",
        name="Ada",
        email=None,
        email_verified=False,
        image=None,
        username="Ada-L",
        primary_email="ada@example.com",
    )

    assert Person.of_profile(profile) == Person("12", "Ada-L", "ada@example.com", None)
