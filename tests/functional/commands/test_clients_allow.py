"""The list of a client's people, as commands write and show it."""

import json

import pytest
from sqlalchemy import select

from authservice.cli import main as authservice
from authservice.cli import register
from authservice.models import oauth_client

REQUIRED = ("--name", "App", "--redirect-uri", "https://app.example.com/cb", "--json")


def allow(*entries):
    return [word for each in entries for word in ("--allow", each)]


@pytest.fixture
def stored(database):
    return lambda: database.reader.scalar(select(oauth_client.c.allow))


def test_registering_takes_any_number_and_writes_each_as_rules_are_written(printed, stored):
    named = allow("org:Acme", "team:acme/Platform", "user:octocat", "id:583231", "domain:Bücher.de")

    answer = json.loads(printed(register.main, *REQUIRED, *named).out)

    expected = ["org:acme", "team:acme/platform", "user:octocat", "id:583231"]
    expected.append("domain:xn--bcher-kva.de")
    assert answer["allow"] == expected
    assert stored() == tuple(expected)


@pytest.mark.parametrize("arguments", [(), ("--allow", "")])
def test_without_entries_a_client_is_for_everyone(printed, stored, arguments):
    assert "allow" not in json.loads(printed(register.main, *REQUIRED, *arguments).out)
    assert stored() is None


def test_updating_replaces_the_list_and_a_blank_entry_empties_it(printed, relying_party, stored):
    def update(*arguments):
        printed(authservice, "clients", "update", relying_party.client_id, *arguments)
        return stored()

    assert update(*allow("org:acme", "id:1")) == ("org:acme", "id:1")
    assert update("--name", "Another Name") == ("org:acme", "id:1")
    assert update(*allow("user:octocat")) == ("user:octocat",)
    assert update(*allow("")) is None


def test_the_list_is_shown(printed, relying_party):
    command = ("clients", "update", relying_party.client_id, *allow("org:acme", "id:1"))
    assert "allow: org:acme id:1\n" in printed(authservice, *command).out

    shown = json.loads(
        printed(authservice, "clients", "show", relying_party.client_id, "--json").out
    )
    (listed,) = json.loads(printed(authservice, "clients", "list", "--json").out)

    assert shown["allow"] == listed["allow"] == ["org:acme", "id:1"]


def test_trying_writes_nothing(printed, relying_party, stored):
    arguments = ("clients", "update", relying_party.client_id, "--dry-run", *allow("org:acme"))

    printed(authservice, *arguments)

    assert stored() is None


@pytest.mark.usefixtures("found_by_commands")
def test_what_is_no_entry_is_refused_by_name(subtests, relying_party, capsys, stored):
    for entries, reasons in (
        (["acme"], ["'acme' must begin with one of org:, team:, user:, id:, domain:"]),
        (["team:acme"], ["'team:acme' must be team:ORGANIZATION/TEAM"]),
        (["id:octocat"], ["'id:octocat' must be id:NUMBER"]),
        (["domain:com"], ["'domain:com' must be a domain such as example.com"]),
        (["org:acme", ""], ["'' must begin with one of"]),
        (["org:acme", "org:ACME"], ["'org:ACME' is given twice"]),
        (["org:a b", "user:"], ["'org:a b' must be org:NAME", "'user:' must be user:LOGIN"]),
    ):
        with subtests.test(entries=entries, reasons=reasons):
            for command in (
                ["oauth:register", *REQUIRED],
                ["clients", "update", relying_party.client_id],
            ):
                with pytest.raises(SystemExit) as stop:
                    authservice([*command, *allow(*entries)])

                said = f"{stop.value.code} {capsys.readouterr().err}"
                assert all(reason in said for reason in reasons), said
            assert stored() is None


INI = """
[app:main]
auth.mode = production
claims.groups_from = acme
admission.users = id:1
provider.trust_emails = false
"""


@pytest.mark.parametrize("command", ["register", "update"])
@pytest.mark.parametrize("dry_run", [(), ("--dry-run",)])
def test_entries_that_let_nobody_in_are_said_where_the_settings_can_be_read(
    printed, relying_party, tmp_path, command, dry_run
):
    (tmp_path / "production.ini").write_text(INI)
    entries = allow("org:acme", "team:other/a", "org:more", "domain:example.com", "user:octocat")
    arguments = (*entries, "--config", "production.ini", *dry_run)

    said = printed(authservice, *_command(command, relying_party), *arguments).err

    nowhere = "lets nobody in: neither admission.organizations nor claims.groups_from names"
    assert said.splitlines()[:3] == [
        f"team:other/a {nowhere} other.",
        f"org:more {nowhere} more.",
        "domain:example.com lets nobody in: provider.trust_emails is not true.",
    ]
    assert "lets nobody in" not in "".join(said.splitlines()[3:])


@pytest.mark.parametrize("ini", ["auth.mode = local", "admission.users = nonsense"])
@pytest.mark.parametrize("command", ["register", "update"])
def test_nothing_is_said_in_local_mode_nor_of_settings_that_are_wrong(
    printed, relying_party, tmp_path, command, ini
):
    (tmp_path / "other.ini").write_text(f"[app:main]\n{ini}\n")
    arguments = (*allow("org:acme", "domain:example.com"), "--config", "other.ini")

    said = printed(authservice, *_command(command, relying_party), *arguments).err

    assert "lets nobody in" not in said


@pytest.mark.usefixtures("found_by_commands")
def test_a_remote_database_is_changed_without_any_settings(
    relying_party, monkeypatch, database_url, capsys, stored
):
    monkeypatch.setenv("AUTH_REMOTE_DATABASE_URL", database_url)

    authservice(["clients", "update", relying_party.client_id, "--remote", *allow("org:acme")])

    assert "lets nobody in" not in capsys.readouterr().err
    assert stored() == ("org:acme",)


def _command(command, client):
    if command == "register":
        return ("oauth:register", *REQUIRED)
    return ("clients", "update", client.client_id)
