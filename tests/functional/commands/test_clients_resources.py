"""The resources of a client and their scopes, as commands write and show them."""

import json

import pytest
from sqlalchemy import select

from authservice.cli import main as authservice
from authservice.models import oauth_client
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
