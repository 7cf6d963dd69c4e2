"""``authservice check`` on names in rules: whose they are, as stored and at the provider."""

import json

import pytest

from authservice.database.database import Database
from authservice.diagnosis.before import names
from authservice.services.admission import pins
from tests.diagnosis.machine import finds, registered
from tests.helpers import github_app
from tests.unit.services.admission.people import person

GONE = "admission.name_gone"
REASSIGNED = "admission.name_reassigned"
RENAMED = "admission.name_renamed"
UNRESOLVED = "admission.name_unresolved"


@pytest.fixture
def standin(machine, identity_provider_standin):
    """The provider, which has Acme with the number 7; nothing but Acme is named."""
    identity_provider_standin.organization("Acme", id=7)
    machine.set("admission.users", None)
    machine.set("admission.organizations", "acme")
    machine.pin({"org:acme": "7"})
    return identity_provider_standin


@pytest.fixture
def app(machine, standin):
    """The same with an App, which is installed in Acme."""
    machine.environ(**github_app.environ())
    github_app.register(standin)
    standin.app(client_id=standin.client_id)
    standin.organization("Acme", installation=70, teams={"platform": {"id": 71}})
    return standin


def skipped(machine):
    """Return why admission was not examined, each time that it says so."""
    found = json.loads(machine.check("--json")[1])["findings"]
    return [
        each["cause"]
        for each in found
        if (each["id"], each["severity"]) == ("admission", "skipped")
    ]


# What is stored


@pytest.mark.parametrize("entry", ["org:acme", "team:acme/platform", "user:ada"])
def test_a_name_that_somebody_has_shown_with_another_number(machine, standin, entry):
    machine.pin({"team:acme/platform": "71", "user:ada": "1"})
    pinned = {"org:acme": "7", "team:acme/platform": "71", "user:ada": "1"}[entry]
    machine.set("admission.users" if entry == "user:ada" else "admission.organizations", entry)
    if entry == "user:ada":
        machine.set("admission.organizations", None)
    database = Database(f"sqlite:///{machine.database_file}")
    with database.transaction() as connection:
        groups = {"acme": "7"} if "/" in entry else {"acme": "8"}
        pins.mark(connection, person("8", "ada", None, groups, {"acme/platform": "8"}))
    database.dispose()

    (found,) = finds(machine, (REASSIGNED, entry))
    assert (found["found"], found["expected"]) == ("number 8", f"number {pinned}")


def test_a_name_without_a_number(machine, standin):
    standin.organization("other", id=8)
    standin.organization("claimed", id=9)
    machine.set("admission.organizations", "acme other")
    machine.set("claims.groups_from", "claimed")

    finds(machine, (UNRESOLVED, "org:other"), (UNRESOLVED, "org:claimed"))

    machine.pin({"org:other": "8", "org:claimed": "9"})
    finds(machine)


# What the provider shows


def test_names_that_nobody_has_and_that_never_had_a_number(machine, standin):
    machine.set("admission.organizations", "acmee")
    machine.set("admission.users", "user:octocatt")
    machine.set("claims.groups_from", "acmeee")

    finds(machine, (GONE, "org:acmee"), (GONE, "user:octocatt"), (GONE, "org:acmeee"))


@pytest.mark.parametrize(
    ("key", "entry", "kind"),
    [
        ("admission.users", "user:hubot", "account"),
        ("admission.organizations", "org:acme", "organization"),
    ],
)
def test_an_account_or_organization_that_was_deleted(machine, standin, key, entry, kind):
    machine.set("admission.users", "id:583231")
    machine.set(key, entry)
    machine.pin({"user:hubot": "480938"})
    finds(machine)

    standin.forget(kind, "hubot" if kind == "account" else "Acme")

    (found,) = finds(machine, (GONE, entry))
    assert found["severity"] == "error"


def test_what_was_renamed_goes_on_by_its_number(machine, standin):
    machine.set("admission.users", "user:hubot")
    machine.pin({"user:hubot": "480938"})
    standin.forget("account", "hubot")
    standin.account("Hubert", id=480938)
    standin.organization("Acme", login="Acme-Labs")

    found = finds(machine, (RENAMED, "org:acme"), (RENAMED, "user:hubot"))
    assert {(each["severity"], each["found"]) for each in found} == {
        ("warning", "acme-labs"),
        ("warning", "hubert"),
    }


def test_a_stranger_who_has_taken_a_name_and_has_not_come_yet(machine, standin):
    machine.set("admission.users", "user:hubot")
    machine.pin({"user:hubot": "1"})
    standin.organization("Acme", login="Acme-Labs")
    standin.organization("acme", id=66)
    stored = machine.database_file.read_bytes()

    found = finds(machine, (REASSIGNED, "org:acme"), (REASSIGNED, "user:hubot"))
    assert {(each["about"], each["found"], each["expected"]) for each in found} == {
        ("org:acme", "number 66", "number 7"),
        ("user:hubot", "number 480938", "number 1"),
    }
    assert machine.database_file.read_bytes() == stored


def test_an_account_that_an_enterprise_manages_is_shown_to_nobody_else(machine, standin):
    machine.set("admission.users", "user:mona_acme")
    finds(machine, (UNRESOLVED, "user:mona_acme"))

    machine.pin({"user:mona_acme": "900002"})

    finds(machine)
    assert not standin.requests("/api/users/mona_acme")


def test_a_name_in_clients_lists_and_in_a_rule_is_looked_up_once(machine, standin):
    one, other = (registered(machine, allow=["user:gone", "org:acme"]) for _ in range(2))
    machine.pin({"user:gone": "1"})
    standin.organization("Acme", login="Acme-Labs")
    expected = {
        (RENAMED, "org:acme", "acme-labs"),
        (RENAMED, one, "org:acme, acme-labs"),
        (RENAMED, other, "org:acme, acme-labs"),
        (GONE, one, "user:gone"),
        (GONE, other, "user:gone"),
    }

    found = finds(machine, *(each[:2] for each in expected))

    assert {(each["id"], each["about"], each["found"]) for each in found} == expected
    assert len(standin.requests("/api/orgs/acme")) == 1
    assert len(standin.requests("/api/users/gone")) == 1


# Teams, which only an App sees


def test_a_team_without_an_app_is_judged_by_what_is_stored(machine, standin):
    machine.set("admission.organizations", "team:acme/platform")
    finds(machine, (UNRESOLVED, "team:acme/platform"))

    machine.pin({"team:acme/platform": "71"})
    finds(machine)


def test_a_team_that_is_gone(machine, app):
    machine.set("admission.organizations", "team:acme/platform team:acme/never")
    machine.pin({"team:acme/platform": "71"})
    finds(machine, (GONE, "team:acme/never"))

    app.forget("team", "Acme/platform")

    finds(machine, (GONE, "team:acme/never"), (GONE, "team:acme/platform"))


def test_a_team_that_has_no_number_yet_is_there(machine, app):
    machine.set("admission.organizations", "team:acme/platform")

    finds(machine, (UNRESOLVED, "team:acme/platform"))


def test_a_team_that_was_renamed_in_an_organization_that_was_renamed(machine, app):
    machine.set("admission.organizations", "team:acme/platform")
    machine.pin({"team:acme/platform": "71"})
    app.organization("Acme", login="Acme-Labs", teams={"platform": {"slug": "base"}})

    found = finds(machine, (RENAMED, "org:acme"), (RENAMED, "team:acme/platform"))
    assert {each["found"] for each in found} == {"acme-labs", "acme/base"}


def test_a_team_that_was_made_again(machine, app):
    machine.set("admission.organizations", "team:acme/platform")
    machine.pin({"team:acme/platform": "71"})
    app.forget("team", "Acme/platform")
    app.organization("Acme", teams={"platform": {"id": 72}})

    (found,) = finds(machine, (REASSIGNED, "team:acme/platform"))
    assert found["found"] == "number 72"


def test_a_team_of_an_organization_without_the_app_is_judged_by_what_is_stored(machine, app):
    machine.set("admission.organizations", "team:acme/never")
    app.organization("Acme", installation=None)

    finds(machine, ("app.not_installed", "acme"), (UNRESOLVED, "team:acme/never"))
    assert skipped(machine) == []


# A provider that does not answer


@pytest.mark.parametrize("kind", ["reset", "500", "rate_limited"])
def test_an_outage_leaves_the_rest_to_what_is_stored(machine, standin, kind):
    machine.set("admission.organizations", "acme first second third")
    machine.pin({"org:first": "1", "org:second": "2"})
    standin.fault("/api/orgs/second", kind)

    finds(machine, (GONE, "org:first"), (UNRESOLVED, "org:third"))

    (why,) = skipped(machine)
    assert why.startswith("The provider does not say whose each name is: ")
    # Of both times that it was examined.
    assert len(standin.requests("/api/orgs/second")) == 2
    assert not standin.requests("/api/orgs/third")


def test_a_secret_that_is_refused(machine, standin):
    machine.environ(PROVIDER_CLIENT_SECRET="another-client-secret-0123456789abcdef012")
    machine.set("admission.organizations", "acme other")

    finds(machine, "provider.credentials", (UNRESOLVED, "org:other"))

    (why,) = skipped(machine)
    assert "does not accept our client id with our client secret" in why


def test_before_our_credentials_are_set_nobody_is_said_to_know_or_to_refuse_them(machine, standin):
    machine.set("provider.client_id", "set-me")
    machine.set("admission.organizations", "acme other")

    finds(machine, "placeholders.client_id", (UNRESOLVED, "org:other"))

    assert skipped(machine) == ["Without our credentials the provider is not asked for names."]
    _, output = machine.check()
    assert "knows our credentials" not in output


def test_when_the_time_is_over_the_rest_is_left_to_what_is_stored(machine, standin, monkeypatch):
    monkeypatch.setattr(names, "_SECONDS", 0.0)
    machine.set("admission.organizations", "acme other")

    finds(machine, (UNRESOLVED, "org:other"))

    (why,) = skipped(machine)
    assert why.endswith("no time is left for the next question")
    assert not standin.requests("/api/orgs/acme")
