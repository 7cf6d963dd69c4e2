"""``authservice clients``: what is listed, what changes, and what stays as it was."""

import json
from datetime import timedelta
from functools import partial

import pytest
from sqlalchemy import select

from authservice import clock
from authservice.cli import main as authservice
from authservice.models import oauth_client
from tests.helpers.relying_party import RelyingParty

pytestmark = pytest.mark.usefixtures("found_by_commands")

EVERYTHING = {
    "name": "Everything",
    "redirect_uris": ["https://app.example.com/a", "http://127.0.0.1/b"],
    "post_logout_redirect_uris": ["https://app.example.com/bye"],
    "skip_consent": True,
    "enable_end_session": True,
    "scopes": ("openid", "email"),
    "id_token_signed_response_alg": "ES256",
    "userinfo_signed_response_alg": "EdDSA",
    "minimal_id_token": True,
    "backchannel_logout_uri": "https://app.example.com/backchannel",
}


@pytest.fixture
def run(printed):
    return partial(printed, authservice, "clients")


@pytest.fixture
def refused(capsys):
    """Give the command: status and message after it has failed."""

    def command(*arguments):
        # What was said before is none of it.
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            authservice(["clients", *arguments])
        output = capsys.readouterr()
        assert output.out == ""
        status, message = stop.value.code, output.err.strip()
        if isinstance(status, str):
            status, message = 1, status
        assert "\n" not in message
        return status, message

    return command


@pytest.fixture
def register(database, turnable_clock):
    """Register a client in which nothing is as by default, a while ago."""

    def register():
        registered = RelyingParty.registered(None, database, **EVERYTHING)
        turnable_clock.advance(seconds=1)
        return registered.client_id

    return register


@pytest.fixture
def client_id(register):
    return register()


def row(database, client_id):
    statement = select(oauth_client).where(oauth_client.c.client_id == client_id)
    return dict(database.reader.execute(statement).mappings().one())


def changed(before, after):
    return {name: after[name] for name in after if after[name] != before[name]}


def test_no_clients_are_listed_as_nothing(run):
    assert run("list").out == ""
    assert json.loads(run("list", "--json").out) == []


def test_the_list_has_a_line_for_each_client_oldest_first(run, database, turnable_clock):
    first = RelyingParty.registered(None, database, name="Zoo").client_id
    turnable_clock.advance(seconds=1)
    second = RelyingParty.registered(None, database, name="Aquarium").client_id
    run("disable", second)

    (zoo, aquarium) = run("list").out.splitlines()
    assert zoo.startswith(f"{first}  ")
    assert "  Zoo  " in zoo
    assert aquarium.startswith(f"{second}  ")
    assert "  Aquarium (disabled)  " in aquarium
    listed = json.loads(run("list", "--json").out)
    assert [each["client_id"] for each in listed] == [first, second]
    assert [each["disabled"] for each in listed] == [False, True]


def test_the_list_tells_two_clients_of_one_name_apart(run, database, turnable_clock):
    began = clock.now()
    for path in ("a", "b"):
        RelyingParty.registered(
            None, database, name="Zoo", redirect_uris=[f"https://zoo.example.com/{path}"]
        )
        turnable_clock.advance(days=1)

    lines = run("list").out.splitlines()

    ends = [line.split("  ", 1)[1] for line in lines]
    assert ends == [
        f"{moment:%Y-%m-%dT%H:%M:%SZ}  Zoo  https://zoo.example.com/{path}"
        for moment, path in ((began, "a"), (began + timedelta(days=1), "b"))
    ]


def test_a_client_is_shown_in_the_names_of_the_standard(run, client_id, database):
    output = run("show", client_id, "--json")

    assert json.loads(output.out) == {
        "client_id": client_id,
        "client_name": "Everything",
        "redirect_uris": EVERYTHING["redirect_uris"],
        "post_logout_redirect_uris": EVERYTHING["post_logout_redirect_uris"],
        "token_endpoint_auth_method": "client_secret_basic",
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "scope": "openid email",
        "skip_consent": True,
        "enable_end_session": True,
        "require_pkce": True,
        "id_token_signed_response_alg": "ES256",
        "userinfo_signed_response_alg": "EdDSA",
        "minimal_id_token": True,
        "backchannel_logout_uri": "https://app.example.com/backchannel",
        "disabled": False,
    }
    assert row(database, client_id)["client_secret"] not in output.out


def test_groups_are_given_and_taken_and_nothing_else_changes(run, database, client_id):
    before = row(database, client_id)

    with_groups = json.loads(run("update", client_id, "--groups", "--json").out)
    assert changed(before, row(database, client_id)).keys() == {"groups", "updated_at"}
    listed = json.loads(run("list", "--json").out)[0]
    shown = run("show", client_id).out.splitlines()
    without = json.loads(run("update", client_id, "--no-groups", "--json").out)

    assert with_groups["groups"] is listed["groups"] is True
    assert with_groups["scope"] == "openid email groups"
    assert "groups: True" in shown
    assert "groups" not in without
    assert without["scope"] == "openid email"


def test_other_scopes_change_beside_groups(run, client_id):
    run("update", client_id, "--groups")

    assert json.loads(run("update", client_id, "--scope", "openid", "--json").out)["scope"] == (
        "openid groups"
    )


def test_a_client_is_shown_as_text(run, client_id):
    lines = run("show", client_id).out.splitlines()

    assert lines[0] == f"client_id: {client_id}"
    assert "redirect_uris: https://app.example.com/a http://127.0.0.1/b" in lines
    assert "disabled: False" in lines


def test_a_row_from_before_the_later_columns_keeps_the_defaults_unwritten(run, database, client_id):
    with database.transaction() as connection:
        unset = dict.fromkeys(
            [
                *EVERYTHING.keys() - {"name", "redirect_uris"},
                "disabled",
                "token_endpoint_auth_method",
            ]
        )
        connection.execute(oauth_client.update().values(unset))

    before = row(database, client_id)
    run("update", client_id, "--name", "Everything new")
    shown = json.loads(run("show", client_id, "--json").out)

    assert set(changed(before, row(database, client_id))) == {"name", "updated_at"}
    assert shown["scope"] == "openid profile email offline_access"
    assert shown["id_token_signed_response_alg"] == "RS256"
    assert (shown["disabled"], shown["skip_consent"], shown["minimal_id_token"]) == (False,) * 3
    assert shown["post_logout_redirect_uris"] == []
    assert not {"userinfo_signed_response_alg", "backchannel_logout_uri"} & set(shown)


def test_an_update_changes_what_is_named_and_nothing_else(subtests, run, database, register):
    for arguments, expected in (
        (["--name", " New name "], {"name": "New name"}),
        (
            ["--redirect-uri", "https://x.example/1", "--redirect-uri", "https://x.example/2"],
            {"redirect_uris": ("https://x.example/1", "https://x.example/2")},
        ),
        (
            ["--post-logout-redirect-uri", "https://x.example/bye"],
            {"post_logout_redirect_uris": ("https://x.example/bye",)},
        ),
        (["--scope", "openid offline_access"], {"scopes": ("openid", "offline_access")}),
        (["--id-token-alg", "RS256"], {"id_token_signed_response_alg": "RS256"}),
        (["--userinfo-alg", "ES256"], {"userinfo_signed_response_alg": "ES256"}),
        (
            ["--backchannel-logout-uri", "https://x.example/b"],
            {"backchannel_logout_uri": "https://x.example/b"},
        ),
        (["--requests-per-minute", "1200"], {"metadata": {"requests_per_minute": 1200}}),
        (["--no-skip-consent"], {"skip_consent": False}),
        (["--no-enable-end-session"], {"enable_end_session": False}),
        (["--no-minimal-id-token"], {"minimal_id_token": False}),
        (
            ["--name", "X", "--no-skip-consent", "--no-minimal-id-token"],
            {"name": "X", "skip_consent": False, "minimal_id_token": False},
        ),
    ):
        with subtests.test(arguments=arguments):
            client_id = register()
            before = row(database, client_id)

            shown = json.loads(run("update", client_id, *arguments, "--json").out)

            after = row(database, client_id)
            assert after["updated_at"] > before["updated_at"]
            after["updated_at"] = before["updated_at"]
            assert changed(before, after) == expected
            assert shown == json.loads(run("show", client_id, "--json").out)


def test_what_else_is_known_of_a_client_stays_when_its_limit_changes(run, database, client_id):
    with database.transaction() as connection:
        connection.execute(oauth_client.update().values(metadata={"of": "a later version"}))

    run("update", client_id, "--requests-per-minute", "30")
    run("update", client_id, "--name", "Still thirty")

    stored = row(database, client_id)["metadata"]
    assert stored == {"of": "a later version", "requests_per_minute": 30}
    assert "requests_per_minute: 30" in run("show", client_id).out.splitlines()


def test_a_switch_can_be_turned_on(subtests, run, database):
    client_id = RelyingParty.registered(None, database).client_id

    for switch in ("skip-consent", "enable-end-session", "minimal-id-token"):
        with subtests.test(switch=switch):
            run("update", client_id, f"--{switch}")

            assert row(database, client_id)[switch.replace("-", "_")] is True


def test_a_public_client_stays_public(run, database):
    client_id = RelyingParty.registered(None, database, public=True).client_id

    run("update", client_id, "--name", "X")

    after = row(database, client_id)
    assert (after["public"], after["token_endpoint_auth_method"]) == (True, "none")


def test_an_update_that_is_wrong_writes_nothing(subtests, refused, database, client_id):
    for arguments, expected in (
        ([], (1, "nothing to change")),
        (["--name", " "], (1, "name must not be blank")),
        (["--redirect-uri", "http://x.example/"], (1, "https")),
        (["--backchannel-logout-uri", "com.example.app:/x"], (1, "must be an https address")),
        (["--scope", "openid phone"], (1, "scope may hold these values only")),
        (["--scope", ""], (1, "scope may hold these values only")),
        (["--id-token-alg", "none"], (2, "--id-token-alg")),
        (["--name", "X", "--name", "Y"], (2, "--name is given twice")),
        (["--public"], (2, "--public")),
        (["--requests-per-minute", "0"], (1, "requests per minute must be 1 to 1000000")),
        (["--requests-per-minute", "1000001"], (1, "requests per minute must be 1 to 1000000")),
        (["--requests-per-minute", "many"], (2, "--requests-per-minute")),
        (["--name", " ", "--scope", "x"], (1, "; ")),
    ):
        with subtests.test(arguments=arguments, expected=expected):
            before = row(database, client_id)

            status, message = refused("update", client_id, *arguments)

            assert status == expected[0]
            assert expected[1] in message
            assert row(database, client_id) == before


def test_an_unknown_client_is_named(subtests, refused):
    for command in ("show", "disable", "enable", "rotate-secret", "delete", "update"):
        with subtests.test(command=command):
            change = ["--name", "X"] if command == "update" else []

            assert refused(command, "nobody", *change) == (
                1,
                "authservice: there is no client nobody",
            )


def test_wrong_arguments_are_named_in_one_line(subtests, refused):
    for arguments in ([], ["unheard-of"], ["show"], ["list", "extra"]):
        with subtests.test(arguments=arguments):
            assert refused(*arguments)[0] == 2


def test_an_unmigrated_database_is_said_so(subtests, refused, monkeypatch, tmp_path):
    monkeypatch.setenv("AUTH_DATABASE_URL", f"sqlite:///{tmp_path}/none.sqlite")

    for arguments in (["list"], ["show", "x"], ["delete", "x"]):
        with subtests.test(arguments=arguments):
            assert "not migrated" in refused(*arguments)[1]


def test_a_remote_database_needs_no_other_setting(run, monkeypatch, database_url, client_id):
    monkeypatch.delenv("AUTH_DATABASE_URL")
    monkeypatch.setenv("AUTH_REMOTE_DATABASE_URL", database_url)

    assert client_id in run("list", "--remote").out


@pytest.mark.attack("RFC6819-4.2.3")
def test_a_public_client_on_a_device_cannot_be_made_to_skip_consent(run, refused, database):
    uri = "http://127.0.0.1/cb"
    native = RelyingParty.registered(None, database, public=True, redirect_uris=[uri]).client_id
    on_the_web = RelyingParty.registered(None, database, public=True, skip_consent=True).client_id

    for arguments in ((native, "--skip-consent"), (on_the_web, "--redirect-uri", uri)):
        status, message = refused("update", *arguments)
        assert status == 1
        assert "cannot skip consent" in message
    assert row(database, native)["skip_consent"] is False
    assert run("update", native, "--no-skip-consent")
