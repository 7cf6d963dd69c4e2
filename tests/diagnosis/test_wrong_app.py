"""``authservice check`` on a GitHub App that cannot ask what it has to."""

import pytest

from tests.diagnosis.machine import finds
from tests.helpers import github_app


@pytest.fixture
def acme(machine, identity_provider_standin):
    """A machine with an App in order, which is installed in Acme."""
    machine.set("admission.users", None)
    machine.set("admission.organizations", "acme")
    machine.pin({"org:acme": "7"})
    machine.environ(**github_app.environ())
    github_app.register(identity_provider_standin)
    identity_provider_standin.app(client_id=identity_provider_standin.client_id)
    identity_provider_standin.organization("Acme", id=7, installation=70)
    return identity_provider_standin


def test_an_app_in_order(machine, acme):
    finds(machine)


def test_an_app_that_the_provider_does_not_know(machine, acme):
    acme.app(id=1)

    finds(machine, ("app.refused", "provider.app_id"))


def test_the_client_id_of_another_application(machine, acme):
    acme.app(client_id="Iv23liOfTheApp")

    finds(machine, ("app.other_client", "provider.client_id"))


def test_permissions_that_are_missing(machine, acme):
    acme.app(permissions={})

    finds(
        machine,
        ("app.members_permission", "provider.app_id"),
        ("app.addresses_permission", "provider.app_id"),
        ("app.suspended", "acme"),
    )


def test_an_organization_without_the_app(machine, acme):
    acme.organization("Acme", installation=None)

    finds(machine, ("app.not_installed", "acme"))


def test_an_organization_with_the_app_that_was_renamed(machine, acme):
    acme.organization("Acme", login="Acme-Labs")

    finds(machine, ("admission.name_renamed", "org:acme"))


def test_the_app_of_a_stranger_who_has_taken_the_name(machine, acme):
    acme.organization("Acme", login="Acme-Labs", installation=None)
    acme.organization("acme", id=66, installation=660)

    finds(machine, ("app.not_installed", "acme"), ("admission.name_reassigned", "org:acme"))


def test_the_app_of_a_stranger_does_not_count_beside_that_of_the_rule(machine, acme):
    acme.organization("Acme", login="Acme-Labs")
    acme.organization("acme", id=66, installation=660, suspended=True)

    finds(machine, ("admission.name_reassigned", "org:acme"))


def test_an_installation_that_is_suspended(machine, acme):
    acme.organization("Acme", suspended=True)

    finds(machine, ("app.suspended", "acme"))


def test_while_the_database_cannot_be_read_names_count_as_they_are(machine, acme):
    machine.database_file.write_bytes(b"no database, and longer than a header of one" * 99)
    finds(machine, "database.not_a_database")

    machine.database_file.unlink()
    finds(machine, "database.not_migrated")


def test_an_app_without_a_webhook(machine, acme):
    machine.environ(PROVIDER_WEBHOOK_SECRET="")

    finds(machine, ("app.no_webhook", "PROVIDER_WEBHOOK_SECRET"))
