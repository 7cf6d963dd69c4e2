"""The resources of a client and their scopes, as commands write and show them."""

import json

import pytest
from sqlalchemy import select

from authservice.cli import main as authservice
from authservice.models import oauth_client
from authservice.services.clients.clients import MACHINE
from tests.helpers.relying_party import RelyingParty
from tests.helpers.resource_file import resource_file

NOTES = "https://notes.example.com"
REGISTER = ("oauth:register", "--name", "App", "--redirect-uri", "https://app.example.com/cb")
DEFAULT = ("openid", "profile", "email", "offline_access")


@pytest.fixture
def stored(database):
    return lambda: database.reader.scalar(select(oauth_client.c.scopes))


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ((), DEFAULT),
        (("--scope", "notes:read"), (*DEFAULT, "notes:read")),
        (("--scope", "openid", "--scope", "notes:read a:b"), ("openid", "notes:read", "a:b")),
    ],
)
def test_scopes_of_resources_stand_beside_ours(printed, stored, flags, expected):
    shown = json.loads(printed(authservice, *REGISTER, "--resource", NOTES, *flags, "--json").out)

    assert stored() == expected
    assert shown["scope"] == " ".join(expected)
    assert shown["resources"] == [NOTES]


@pytest.mark.attack("TOKENS-unregistered-resource")
@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        # Neither kind grows because the other one is changed.
        (("--scope", "openid"), ("openid", "notes:read")),
        (("--scope", "openid groups", "--groups"), ("openid", "notes:read")),
        (("--scope", "notes:write"), ("openid", "email", "notes:write")),
        (("--scope", "openid notes:write"), ("openid", "notes:write")),
        (("--name", "Other"), ("openid", "email", "notes:read")),
        (("--resource", "https://files.example.com"), ("openid", "email", "notes:read")),
        (("--resource", ""), ("openid", "email")),
        (("--resource", "", "--scope", "openid"), ("openid",)),
    ],
)
def test_an_update_keeps_the_scopes_of_which_it_names_none(
    printed, relying_party, stored, flags, expected
):
    update = ["clients", "update", relying_party.client_id]
    printed(authservice, *update, "--resource", NOTES, "--scope", "openid email notes:read")

    printed(authservice, *update, *flags)

    assert stored() == expected


@pytest.mark.usefixtures("found_by_commands")
@pytest.mark.parametrize("flags", [("--scope", ""), ("--scope", "groups"), ("--scope", "phone")])
def test_an_update_refuses_scopes_that_are_none(relying_party, stored, flags):
    with pytest.raises(SystemExit) as stop:
        authservice(["clients", "update", relying_party.client_id, "--resource", NOTES, *flags])

    assert "scope may hold these values only" in str(stop.value.code)
    assert stored() == DEFAULT


@pytest.fixture
def api(database):
    """A resource server."""
    registration = {"redirect_uris": (), "grant_types": (), "resources": [NOTES]}
    return RelyingParty.registered(None, database, name="Notes API", **registration).client_id


def test_a_resource_server_is_listed_as_one(printed, api):
    assert printed(authservice, "clients", "list").out.startswith(f"{api}  ")
    assert printed(authservice, "clients", "list").out.endswith(
        f"  Notes API  resource server {NOTES}\n"
    )


def test_an_update_leaves_a_resource_server_one(printed, stored, api):
    flags = ["--resource", "https://files.example.com", "--name", "Files API", "--json"]
    changed = json.loads(printed(authservice, "clients", "update", api, *flags).out)

    assert stored() == ()
    assert (changed["client_name"], changed["resource_server"]) == ("Files API", True)
    assert changed["resources"] == ["https://files.example.com"]
    for flag in ("--scope", "openid"), ("--redirect-uri", "https://a.example/"), ("--groups",):
        with pytest.raises(SystemExit, match="a resource server only introspects"):
            authservice(["clients", "update", api, *flag])


@pytest.fixture
def machine(database):
    registration = {"redirect_uris": (), "grant_types": MACHINE, "resources": [NOTES]}
    return RelyingParty.registered(None, database, name="Backup", **registration).client_id


def test_a_machine_is_listed_as_one(printed, machine):
    assert printed(authservice, "clients", "list").out.endswith(f"  Backup  machine {NOTES}\n")


@pytest.mark.attack("TOKENS-machine-scope")
def test_an_update_leaves_a_machine_one_and_opens_nothing(subtests, printed, stored, machine):
    update = ("clients", "update", machine)
    for flags, expected in (
        (("--name", "Nightly backup"), ()),
        (("--scope", "notes:read"), ("notes:read",)),
        (("--resource", "https://files.example.com"), ("notes:read",)),
        (("--scope", "files:read notes:read"), ("files:read", "notes:read")),
    ):
        with subtests.test(flags=flags):
            changed = json.loads(printed(authservice, *update, *flags, "--json").out)

            assert stored() == expected
            assert (changed["machine"], changed.get("scope", "")) == (True, " ".join(expected))
    for flags, reason in (
        (("--scope", ""), "scope may hold scopes of the machine's resources only"),
        (("--scope", "openid"), "scope may hold scopes of the machine's resources only"),
        (("--resource", ""), "a machine needs at least one resource"),
        (("--redirect-uri", "https://a.example/"), "nobody signs in to a machine"),
        (("--groups",), "nobody signs in to a machine"),
    ):
        with subtests.test(flags=flags), pytest.raises(SystemExit, match=reason):
            authservice([*update, *flags])
    assert stored() == ("files:read", "notes:read")


def test_who_may_introspect_nothing_is_told(subtests, printed, api, tmp_path):
    table = f'["https://files.example.com"]\nintrospected_by = ["{api}"]'
    file = resource_file(tmp_path, NOTES, table)
    for name, setting in (
        ("all.ini", f"auth.resources = {file}"),
        ("none.ini", "auth.url = https://a.example"),
    ):
        (tmp_path / name).write_text(f"[app:main]\n{setting}\n", encoding="utf-8")
    register = ("oauth:register", "--resource-server", "--name", "API")
    of_notes, update = (*register, "--resource", NOTES), ("clients", "update", api)
    told = "This resource server may introspect no tokens: give it a resource of auth.resources"
    told += " with --resource URI."
    for command, config, expected in (
        (register, "all.ini", True),
        (of_notes, "all.ini", False),
        (of_notes, "none.ini", True),
        ((*REGISTER, "--resource", NOTES), "none.ini", False),
        ((*update, "--resource", ""), "all.ini", False),
        ((*update, "--resource", ""), "none.ini", True),
    ):
        with subtests.test(command=command, config=config):
            said = printed(authservice, *command, "--config", config).err.splitlines()

            assert (told in said) is expected


@pytest.mark.parametrize("command", [REGISTER, ("clients", "update")])
def test_what_is_there_in_vain_is_said_where_the_settings_can_be_read(
    printed, relying_party, tmp_path, command
):
    file = resource_file(tmp_path, f'["{NOTES}"]\nscopes."notes:read" = "Read your notes"')
    (tmp_path / "other.ini").write_text(f"[app:main]\nauth.resources = {file}\n", encoding="utf-8")
    whom = [relying_party.client_id] if command[0] == "clients" else []
    flags = ["--resource", NOTES, "--resource", "https://old.example.com"]
    flags += ["--scope", "notes:read notes:raed", "--config", "other.ini"]

    said = printed(authservice, *command, *whom, *flags).err.splitlines()

    assert "No tokens are issued for https://old.example.com: auth.resources does not have it." in (
        said
    )
    assert "notes:raed is ignored: it is no scope of a resource of the client." in said
    assert not [line for line in said if line.startswith(("notes:read ", f"No tokens for {NOTES}"))]
