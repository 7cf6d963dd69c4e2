"""``authservice check`` on rules of admission that let in other people than one may think."""

import json

import pytest

from tests.diagnosis.machine import finds

SETTINGS = "settings.refused"


def test_everyone_may_sign_in(machine):
    machine.set("admission.users", None)
    machine.set("admission.everyone", "true")

    finds(machine, ("admission.everyone", "admission.everyone"))


def test_who_leaves_a_company_is_not_noticed_by_the_domain(machine):
    machine.set("admission.email_domains", "observatory-lab.org")

    finds(machine, ("admission.email_domains", "admission.email_domains"))


def test_addresses_of_a_provider_of_ones_own_do_not_count(machine):
    machine.set("admission.email_domains", "observatory-lab.org")
    machine.set("provider.trust_emails", None)

    finds(machine, ("admission.trust_emails", "provider.trust_emails"))


def test_before_the_first_migration_numbers_are_not_there(machine):
    machine.set("admission.organizations", "observatory")
    machine.database_file.unlink()

    assert [each["severity"] for each in _about_admission(machine)] == ["skipped"]


@pytest.mark.parametrize(
    ("key", "entry"),
    [
        ("admission.organizations", "org:set-me"),
        ("admission.organizations", "team:observatory/set-me"),
        ("admission.users", "user:set-me"),
        ("admission.email_domains", "domain:example.com"),
    ],
)
def test_a_rule_of_the_shipped_file(machine, identity_provider_standin, key, entry):
    identity_provider_standin.organization("set-me", id=1)
    identity_provider_standin.organization("observatory", id=7)
    identity_provider_standin.account("set-me", id=2)
    machine.set(key, entry)
    expected = [("placeholders.rule", "admission")]
    if "domain" in key:
        expected.append("admission.email_domains")
    machine.pin({"org:set-me": "1", "org:observatory": "7", "user:set-me": "2"})
    machine.pin({"team:observatory/set-me": "3"})

    assert expected[0] in [(each["id"], each["about"]) for each in finds(machine, *expected)]


def _about_admission(machine):
    _, output = machine.check("--json")
    return [each for each in json.loads(output)["findings"] if each["id"].startswith("admission")]
