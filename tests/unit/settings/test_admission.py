"""Who may sign in, as the settings say it."""

from datetime import timedelta

import pytest

from tests.unit.settings.loading import local, problems, production

_NO_RULE = {"ADMISSION_EVERYONE": None}


def _rules(**environ):
    return [str(rule) for rule in production(environ=_NO_RULE | environ).admission.rules]


def test_entries_are_read_one_a_line_or_between_commas():
    assert _rules(ADMISSION_ORGANIZATIONS="acme\n  Acme/Platform, org:other team:x/y") == [
        "org:acme",
        "team:acme/platform",
        "org:other",
        "team:x/y",
    ]
    assert _rules(ADMISSION_USERS="user:Octocat\nid:583231") == ["user:octocat", "id:583231"]
    assert _rules(ADMISSION_EMAIL_DOMAINS="Example.com bücher.example") == [
        "domain:example.com",
        "domain:xn--bcher-kva.example",
    ]


def test_a_rule_that_is_given_twice_counts_once():
    assert _rules(ADMISSION_ORGANIZATIONS="acme org:ACME") == ["org:acme"]


def test_production_does_not_start_before_it_is_said_who_may_sign_in():
    # A list without an entry says nothing either.
    for rules in ({}, {"ADMISSION_USERS": " , "}):
        names, message = problems(production, environ=_NO_RULE | rules)

        assert names == ["admission"]
        for variable in ("ORGANIZATIONS", "USERS", "EMAIL_DOMAINS", "EVERYONE"):
            assert f"ADMISSION_{variable}" in message


def test_everyone_stands_alone():
    names, message = problems(production, environ={"ADMISSION_ORGANIZATIONS": "acme"})

    assert names == ["ADMISSION_EVERYONE"]
    assert "remove it, or all other rules" in message


def test_local_mode_has_no_gate_unless_rules_are_set():
    assert local().admission.everyone
    assert not local(environ={"ADMISSION_ORGANIZATIONS": "acme"}).admission.everyone


def test_what_is_no_rule_stops_the_start_by_name(subtests):
    for variable, entry in (
        ("ADMISSION_ORGANIZATIONS", "acme/"),
        ("ADMISSION_ORGANIZATIONS", "acme/a/b"),
        ("ADMISSION_ORGANIZATIONS", "-acme"),
        ("ADMISSION_ORGANIZATIONS", "user:octocat"),
        ("ADMISSION_ORGANIZATIONS", "orgs:acme"),
        ("ADMISSION_ORGANIZATIONS", "acm\u212a"),
        ("ADMISSION_USERS", "octocat"),
        ("ADMISSION_USERS", "id:octocat"),
        ("ADMISSION_USERS", "id:0"),
        ("ADMISSION_USERS", "org:acme"),
        ("ADMISSION_EMAIL_DOMAINS", "@example.com"),
        ("ADMISSION_EMAIL_DOMAINS", "a@example.com"),
        ("ADMISSION_EMAIL_DOMAINS", "com"),
        ("ADMISSION_EMAIL_DOMAINS", "co.uk"),
        ("ADMISSION_EMAIL_DOMAINS", "*.example.com"),
        ("ADMISSION_EMAIL_DOMAINS", "example..com"),
        ("CLAIMS_GROUPS_FROM", "acme/platform"),
    ):
        with subtests.test(variable=variable, entry=entry):
            names, message = problems(production, environ=_NO_RULE | {variable: entry})

            assert variable in names
            assert repr(entry) in message


def test_times_have_limits():
    admission = production({"admission.recheck": "60", "admission.outage_grace": "0"}).admission

    assert (admission.recheck, admission.outage_grace) == (timedelta(minutes=1), timedelta())
    for key, text in (("recheck", "59"), ("outage_grace", "-1"), ("outage_grace", "a day")):
        assert problems(production, {f"admission.{key}": text})[0] == [f"admission.{key}"]


def test_groups_from_names_organizations():
    environ = {"CLAIMS_GROUPS_FROM": "Acme org:other"}

    assert production(environ=environ).groups_from == ("acme", "other")


@pytest.mark.parametrize(
    ("ini", "trusted"),
    [
        ({}, True),
        ({"provider.api_url": "https://ghe.example.com/api/v3"}, False),
        (
            {"provider.api_url": "https://ghe.example.com/api/v3", "provider.trust_emails": "true"},
            True,
        ),
    ],
)
def test_addresses_of_another_server_count_only_when_it_is_said(ini, trusted):
    assert production(ini).provider.trust_emails is trusted
