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


def test_they_go_with_the_resource(printed, relying_party, stored):
    update = ["clients", "update", relying_party.client_id]
    printed(authservice, *update, "--resource", NOTES, "--scope", "openid notes:read")

    with pytest.raises(SystemExit) as stop:
        authservice([*update, "--resource", ""])
    assert "with --resource the scopes of that resource" in str(stop.value.code)

    printed(authservice, *update, "--resource", "", "--scope", "openid")
    assert stored() == ("openid",)


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
