"""The registration command's flags for what a client may choose of the provider."""

import json
from functools import partial

import pytest
from sqlalchemy import delete, func, select

from authservice.cli import register
from authservice.models import oauth_client
from tests.helpers.published_keys import decoded
from tests.helpers.relying_party import RelyingParty

pytestmark = pytest.mark.usefixtures("found_by_commands")

REQUIRED = ["--name", "Example App", "--redirect-uri", "https://app.example.com/callback"]
TOLD = "https://app.example.com/backchannel?tenant=a"


@pytest.fixture
def run(printed):
    return partial(printed, register.main, *REQUIRED)


@pytest.fixture
def refused(capsys, database):
    """Give the command: its message after it has failed and written nothing."""

    def command(*arguments):
        with pytest.raises(SystemExit) as stop:
            register.main([*REQUIRED, *arguments])
        output = capsys.readouterr()
        assert output.out == ""
        assert number_of_clients(database) == 0
        return stop.value.code if isinstance(stop.value.code, str) else output.err.strip()

    return command


def number_of_clients(database):
    return database.reader.scalar(select(func.count()).select_from(oauth_client))


def only_client(database):
    return database.reader.execute(select(oauth_client)).one()


def test_without_them_the_defaults_of_the_server_hold(run, database):
    shown = json.loads(run("--json").out)

    stored = only_client(database)
    assert stored.id_token_signed_response_alg is None
    assert stored.userinfo_signed_response_alg is None
    assert stored.backchannel_logout_uri is None
    assert stored.minimal_id_token is False
    assert shown["id_token_signed_response_alg"] == "RS256"
    assert shown["minimal_id_token"] is False
    unset = {"userinfo_signed_response_alg", "backchannel_logout_uri", "requests_per_minute"}
    assert not (unset | {"groups"}) & set(shown)


def test_algorithms_are_stored_and_shown(subtests, run, database):
    for flag, member in (
        ("--id-token-alg", "id_token_signed_response_alg"),
        ("--userinfo-alg", "userinfo_signed_response_alg"),
    ):
        for alg in ("RS256", "ES256", "EdDSA"):
            with subtests.test(flag=flag, alg=alg):
                with database.transaction() as connection:
                    connection.execute(delete(oauth_client))

                shown = json.loads(run(flag, alg, "--json").out)

                assert shown[member] == getattr(only_client(database), member) == alg


def test_the_other_flags_are_stored_and_shown(run, database):
    flags = ("--minimal-id-token", "--backchannel-logout-uri", TOLD, "--scope", " email  openid ")

    shown = json.loads(run(*flags, "--json").out)

    stored = only_client(database)
    assert stored.minimal_id_token is shown["minimal_id_token"] is True
    assert stored.backchannel_logout_uri == shown["backchannel_logout_uri"] == TOLD
    assert stored.scopes == ("email", "openid")
    assert shown["scope"] == "email openid"


def test_groups_are_for_clients_that_are_registered_for_them(run, database):
    shown = json.loads(run("--groups", "--json").out)

    assert shown["groups"] is only_client(database).groups is True
    assert shown["scope"] == "openid profile email offline_access groups"
    # What every client may have without being registered for it does not grow.
    assert only_client(database).scopes == ("openid", "profile", "email", "offline_access")


def test_their_scope_may_be_named_beside_it(run, database):
    shown = json.loads(run("--groups", "--scope", "openid groups", "--json").out)

    assert only_client(database).scopes == ("openid",)
    assert shown["scope"] == "openid groups"


def test_a_limit_of_its_own_is_stored_and_shown(run, database):
    shown = json.loads(run("--requests-per-minute", "6000", "--json").out)

    assert only_client(database).metadata == {"requests_per_minute": 6000}
    assert shown["requests_per_minute"] == 6000


@pytest.mark.requirement("OIDC-BCLOGOUT-2.2-1", "OIDC-BCLOGOUT-2.2-2")
def test_what_cannot_be_is_refused_in_one_line(subtests, refused):
    for arguments, reason in (
        (["--id-token-alg", "none"], "--id-token-alg"),
        (["--id-token-alg", "HS256"], "--id-token-alg"),
        (["--id-token-alg", "es256"], "--id-token-alg"),
        (["--userinfo-alg", "none"], "--userinfo-alg"),
        (["--id-token-alg", "ES256", "--id-token-alg", "RS256"], "--id-token-alg is given twice"),
        (["--userinfo-alg", "ES256", "--userinfo-alg", "RS256"], "--userinfo-alg is given twice"),
        (["--requests-per-minute", "0"], "requests per minute must be 1 to 1000000"),
        (["--requests-per-minute", "-1"], "requests per minute must be 1 to 1000000"),
        (["--requests-per-minute", "1.5"], "--requests-per-minute"),
        (["--minimal-id-token", "--minimal-id-token"], "--minimal-id-token is given twice"),
        (["--dry-run", "--dry-run"], "--dry-run is given twice"),
        (["--no-minimal-id-token"], "--no-minimal-id-token"),
        (["--scope", "openid", "--scope", "notes:read"], "with --resource the scopes of"),
        (["--resource", "https://notes.example.com", "--scope", "phone"], "scope may hold"),
        (["--resource", "https://notes.example.com", "--scope", 'a"b'], "scope may hold"),
        (["--scope", "openid phone"], "openid profile email offline_access"),
        (["--scope", " "], "scope may hold"),
        (["--scope", "groups", "--groups"], "scope may hold"),
        (["--scope", "openid groups"], "scope groups comes with --groups"),
        (["--no-groups"], "--no-groups"),
        (["--backchannel-logout-uri", TOLD, "--backchannel-logout-uri", TOLD], "given twice"),
        (["--backchannel-logout-uri", "http://app.example.com/x"], "must use https"),
        (["--backchannel-logout-uri", f"{TOLD}#x"], "fragment"),
        (["--backchannel-logout-uri", "com.example.app:/x"], "must be an https address"),
        (["--backchannel-logout-uri", "/logout"], "absolute URI"),
        (["--backchannel-logout-uri", "https://u:p@app.example.com/"], "user information"),
        (["--backchannel-logout-uri", ""], "back-channel logout URI ''"),
    ):
        with subtests.test(arguments=arguments, reason=reason):
            message = refused(*arguments)

            assert reason in message
            assert "\n" not in message


def test_a_dry_run_checks_everything_and_writes_nothing(run, refused, database):
    output = run("--dry-run", "--json", "--minimal-id-token")

    assert output.err == "Everything is in order; nothing was written.\n"
    assert number_of_clients(database) == 0
    assert run("--dry-run").out == ""
    assert "scope may hold" in refused("--dry-run", "--scope", "phone")
    registered = json.loads(run("--json", "--minimal-id-token").out)
    own = {name: registered.pop(name) for name in ("client_id", "client_secret")}
    assert all(own.values())
    assert json.loads(output.out) == registered


def test_a_dry_run_finds_a_database_that_is_not_migrated(refused, monkeypatch, tmp_path):
    monkeypatch.setenv("AUTH_DATABASE_URL", f"sqlite:///{tmp_path}/none.sqlite")

    assert "not migrated" in refused("--dry-run")
    assert not (tmp_path / "none.sqlite").exists()


def test_a_client_registered_with_all_of_them_works(run, app, browser):
    flags = ["--id-token-alg", "ES256", "--userinfo-alg", "EdDSA", "--minimal-id-token"]
    made = json.loads(run(*flags, "--scope", "openid email", "--json").out)
    client = RelyingParty(app, made["client_id"], made["client_secret"], REQUIRED[3])

    tokens = client.redeem(client.sign_in_with(browser, scope="openid email")).json

    assert "email" not in decoded(tokens["id_token"], client.http, "ES256")[1]
    told = client.userinfo(tokens["access_token"]).text
    assert "email" in decoded(told, client.http, "EdDSA")[1]


@pytest.mark.attack("FAILURES-12")
def test_a_client_may_ask_for_the_scopes_that_it_was_registered_with_only(
    subtests, run, app, browser
):
    made = json.loads(run("--scope", "openid email", "--json").out)
    client = RelyingParty(app, made["client_id"], made["client_secret"], REQUIRED[3])

    for scope in ("openid profile", "openid offline_access"):
        with subtests.test(scope=scope):
            tokens = client.redeem(client.sign_in_with(browser, scope=scope)).json

            assert tokens["scope"] == "openid"
