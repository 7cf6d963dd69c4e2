"""The registration command: what it prints, what it writes, and what it leaves no trace of."""

import json
import re
from functools import partial

import pytest
from sqlalchemy import delete, func, select

from authservice.cli import main as authservice
from authservice.cli import register
from authservice.crypto.secret_values import digest
from authservice.models import account, jwks, oauth_client, session, user
from tests.helpers.refusing_database import refuse
from tests.helpers.relying_party import RelyingParty

pytestmark = pytest.mark.usefixtures("found_by_commands")

REQUIRED = ["--name", "Example App", "--redirect-uri", "https://app.example.com/callback"]


@pytest.fixture
def run(printed):
    return partial(printed, register.main)


def _clients(database):
    return database.reader.execute(select(oauth_client)).all()


def _traces(database):
    return [
        database.reader.scalar(select(func.count()).select_from(table))
        for table in (user, account, session, jwks)
    ]


@pytest.mark.requirement("RFC8252-8.4-2", "OIDC-CORE-9-1")
def test_a_confidential_client_gets_an_id_and_a_secret(run, database):
    output = run(*REQUIRED)

    lines = dict(line.split(": ") for line in output.out.splitlines())
    assert list(lines) == ["client_id", "client_secret"]
    assert re.fullmatch(r"[A-Za-z0-9]{32}", lines["client_id"])
    assert re.fullmatch(r"[A-Za-z0-9]{43}", lines["client_secret"])
    (client,) = _clients(database)
    assert client.client_id == lines["client_id"]
    assert client.client_secret == digest(lines["client_secret"])
    assert client.name == "Example App"
    assert client.redirect_uris == ("https://app.example.com/callback",)
    assert client.post_logout_redirect_uris == ()
    assert client.token_endpoint_auth_method == "client_secret_basic"
    assert client.scopes == ("openid", "profile", "email", "offline_access")
    assert client.user_id is None
    assert client.require_pkce is True
    assert (client.public, client.skip_consent, client.enable_end_session) == (False,) * 3
    assert client.disabled is False


def test_only_the_result_is_on_standard_output(run):
    output = run(*REQUIRED)

    secret = output.out.split("client_secret: ")[1].strip()
    assert "shown this once" in output.err
    assert secret not in output.err
    assert output.out.count(secret) == 1


@pytest.mark.requirement("RFC8252-8.4-2")
def test_a_public_client_has_no_secret(run, database):
    output = run(*REQUIRED, "--public")

    assert re.fullmatch(r"client_id: \w{32}\n", output.out)
    assert output.err == ""
    (client,) = _clients(database)
    assert client.client_secret is None
    assert client.public is True
    assert client.token_endpoint_auth_method == "none"


@pytest.mark.requirement("OIDC-RPLOGOUT-3.1-1")
def test_every_flag_is_stored(run, database):
    run(
        "--name",
        "  Example App  ",
        "--redirect-uri",
        "https://app.example.com/a",
        "--redirect-uri",
        "http://127.0.0.1/b",
        "--post-logout-redirect-uri",
        "https://app.example.com/bye",
        "--post-logout-redirect-uri",
        "https://app.example.com/tschuess",
        "--skip-consent",
        "--enable-end-session",
    )

    (client,) = _clients(database)
    assert client.name == "Example App"
    assert client.redirect_uris == ("https://app.example.com/a", "http://127.0.0.1/b")
    assert client.post_logout_redirect_uris == (
        "https://app.example.com/bye",
        "https://app.example.com/tschuess",
    )
    assert client.skip_consent is True
    assert client.enable_end_session is True


def test_who_registers_the_first_client_of_an_algorithm_is_told_of_caches(subtests, run):
    told = "{} is new to the key set: it is there within a minute, but copies without it may"
    told += " be cached for ten minutes more, and by some clients for an hour.\n"
    for flags, algs in (
        (["--id-token-alg", "RS256"], []),
        (["--id-token-alg", "ES256", "--userinfo-alg", "EdDSA", "--dry-run"], ["ES256", "EdDSA"]),
        (["--userinfo-alg", "ES256"], ["ES256"]),
        (["--id-token-alg", "EdDSA", "--userinfo-alg", "ES256"], ["EdDSA"]),
        (["--id-token-alg", "ES256"], []),
    ):
        with subtests.test(flags=flags):
            output = run(*REQUIRED, *flags)

            lines = [line for line in output.err.splitlines(keepends=True) if "key set" in line]
            assert lines == [told.format(alg) for alg in algs]


def test_json_is_one_object(subtests, run, database):
    for public in (False, True):
        with subtests.test(public=public):
            output = run(*REQUIRED, "--json", *(["--public"] if public else []))

            assert output.out.count("\n") == 1
            content = json.loads(output.out)
            assert ("client_secret" in content) is not public
            content.pop("client_secret", None)
            assert content.pop("client_id") in {each.client_id for each in _clients(database)}
            expected = {
                "client_name": "Example App",
                "redirect_uris": ["https://app.example.com/callback"],
                "post_logout_redirect_uris": [],
                "token_endpoint_auth_method": "none" if public else "client_secret_basic",
                "grant_types": ["authorization_code", "refresh_token"],
                "response_types": ["code"],
                "scope": "openid profile email offline_access",
                "skip_consent": False,
                "enable_end_session": False,
                "require_pkce": True,
            }
            assert content.items() >= expected.items()


def test_a_resource_server_is_an_api_with_a_secret_and_nothing_else(run, database):
    flags = ["--resource", "https://notes.example.com", "--requests-per-minute", "6000", "--json"]

    content = json.loads(run("--resource-server", "--name", "Notes API", *flags).out)

    (client,) = _clients(database)
    assert client.client_secret == digest(content.pop("client_secret"))
    assert (client.grant_types, client.response_types, client.scopes) == ((),) * 3
    assert content == {
        "client_id": client.client_id,
        "client_name": "Notes API",
        "redirect_uris": [],
        "token_endpoint_auth_method": "client_secret_basic",
        "grant_types": [],
        "response_types": [],
        "requests_per_minute": 6000,
        "resources": ["https://notes.example.com"],
        "resource_server": True,
    }


def test_a_machine_has_a_secret_and_resources_and_nothing_else(subtests, run, database):
    uris = ["https://notes.example.com", "https://files.example.com/v1"]
    flags = [flag for uri in uris for flag in ("--resource", uri)]
    for scopes in ([], ["notes:read", "files:read"]):
        with subtests.test(scopes=scopes):
            named = [flag for scope in scopes for flag in ("--scope", scope)]

            output = run("--machine", "--name", "Backup", *flags, *named, "--json")

            content = json.loads(output.out)
            client = next(row for row in _clients(database) if row.name == "Backup")
            assert client.client_secret == digest(content.pop("client_secret"))
            assert (client.grant_types, client.response_types) == (("client_credentials",), ())
            assert client.scopes == tuple(scopes)
            assert content.pop("scope", "") == " ".join(scopes)
            assert content == {
                "client_id": client.client_id,
                "client_name": "Backup",
                "redirect_uris": [],
                "token_endpoint_auth_method": "client_secret_basic",
                "grant_types": ["client_credentials"],
                "response_types": [],
                "resources": uris,
                "machine": True,
            }
            with database.transaction() as connection:
                connection.execute(delete(oauth_client))


def test_the_temporary_user_account_and_session_are_gone(run, database):
    run(*REQUIRED)

    assert _traces(database) == [0, 0, 0, 0]


@pytest.mark.requirement("RFC6749-2.2-1")
def test_two_clients_have_nothing_in_common(run):
    first, second = (json.loads(run(*REQUIRED, "--json").out) for _ in range(2))

    assert first["client_id"] != second["client_id"]
    assert first["client_secret"] != second["client_secret"]


@pytest.mark.attack("FAILURES-37")
def test_the_client_works(run, app, browser):
    made = json.loads(run(*REQUIRED, "--json").out)
    client = RelyingParty(
        app, made["client_id"], made["client_secret"], "https://app.example.com/callback"
    )

    assert client.redeem(client.sign_in_with(browser)).status_int == 200


def test_the_general_command_runs_the_same(capsys, database):
    authservice(["oauth:register", *REQUIRED, "--json"])

    assert json.loads(capsys.readouterr().out)["client_id"] == _clients(database)[0].client_id


def _refused(capsys, *arguments):
    """Return status and standard error of a command that fails."""
    # What was said before is none of it.
    capsys.readouterr()
    with pytest.raises(SystemExit) as stop:
        register.main([*arguments])
    output = capsys.readouterr()
    assert output.out == ""
    if isinstance(stop.value.code, str):
        return 1, stop.value.code
    return stop.value.code, output.err.strip()


def test_wrong_arguments_are_named_in_one_line(subtests, capsys, database):
    for arguments, reason in (
        ([], "--name"),
        (
            ["--name", "X"],
            "--redirect-uri is missing; only an API (--resource-server) and a program without",
        ),
        (
            ["--name", "X", "--machine", "--resource-server"],
            "--resource-server and --machine are two clients: register each by itself",
        ),
        (["--name", "X", "--machine", "--machine"], "--machine is given twice"),
        (["--redirect-uri", "https://a.example/"], "--name"),
        ([*REQUIRED, "--name", "Y"], "--name is given twice"),
        ([*REQUIRED, "--public", "--public"], "--public is given twice"),
        ([*REQUIRED, "--json", "--json"], "--json is given twice"),
        ([*REQUIRED, "--config", "a", "--config", "b"], "--config is given twice"),
        ([*REQUIRED, "--skip"], "--skip"),
        ([*REQUIRED, "--unknown"], "--unknown"),
        ([*REQUIRED, "extra"], "extra"),
        ([*REQUIRED, "--redirect-uri"], "--redirect-uri"),
        ([*REQUIRED, "--public=yes"], "--public"),
    ):
        with subtests.test(arguments=arguments, reason=reason):
            status, message = _refused(capsys, *arguments)

            assert status == 2
            assert reason in message
            assert "\n" not in message
            assert _clients(database) == []


@pytest.mark.requirement("RFC6749-3.1.2.2-1", "OAUTH21-2.3.1-1")
def test_what_cannot_be_registered_is_named_all_at_once(subtests, capsys, database):
    for arguments, reasons in (
        (["--name", "", *REQUIRED[2:]], ["name must not be blank"]),
        (["--name", "  ", *REQUIRED[2:]], ["name must not be blank"]),
        (["--name", "\u200b\u3164\u2800", *REQUIRED[2:]], ["name must not be blank"]),
        (["--name", "a\x1bb", *REQUIRED[2:]], ["control characters"]),
        ([*REQUIRED, "--redirect-uri", "http://a.example/"], ["'http://a.example/'", "https"]),
        ([*REQUIRED, "--redirect-uri", REQUIRED[3]], ["is given twice"]),
        ([*REQUIRED, "--redirect-uri", ""], ["redirect URI ''"]),
        ([*REQUIRED, "--redirect-uri", "javascript:alert(1)"], ["javascript"]),
        ([*REQUIRED, "--post-logout-redirect-uri", "https://a/#x"], ["post-logout", "fragment"]),
        (
            ["--name", " ", "--redirect-uri", "x", "--redirect-uri", "http://b.example/"],
            ["name must not be blank", "'x'", "'http://b.example/'"],
        ),
    ):
        with subtests.test(arguments=arguments, reasons=reasons):
            status, message = _refused(capsys, *arguments)

            assert status == 1
            assert message.startswith("authservice: ")
            assert "\n" not in message
            for reason in reasons:
                assert reason in message
            assert _clients(database) == []
            assert _traces(database) == [0, 0, 0, 0]


def test_what_a_resource_server_has_no_use_for_is_named(subtests, capsys, database):
    for flags, named in (
        (["--redirect-uri", "https://a.example/"], "redirect_uris"),
        (["--post-logout-redirect-uri", "https://a.example/"], "post_logout_redirect_uris"),
        (["--backchannel-logout-uri", "https://a.example/"], "backchannel_logout_uri"),
        (["--scope", "openid"], "scopes"),
        (["--allow", "user:anna"], "allow"),
        (["--id-token-alg", "ES256"], "id_token_signed_response_alg"),
        (["--userinfo-alg", "ES256"], "userinfo_signed_response_alg"),
        (["--minimal-id-token"], "minimal_id_token"),
        (["--skip-consent"], "skip_consent"),
        (["--enable-end-session"], "enable_end_session"),
        (["--groups", "--public"], "public, groups"),
    ):
        with subtests.test(flags=flags):
            status, message = _refused(capsys, "--resource-server", "--name", "Notes API", *flags)

            assert status == 1
            assert message.endswith(
                "a resource server only introspects tokens: it may have a name, resources,"
                f" keys and requests_per_minute, but no {named}"
            )
            assert _clients(database) == []


def test_what_a_machine_has_no_use_for_is_named(subtests, capsys, database):
    resource = ("--resource", "https://notes.example.com")
    kind = "nobody signs in to a machine: it may have a name, resources, scopes, keys and"
    kind += " requests_per_minute, but no"
    scopes = "scope may hold scopes of the machine's resources only"
    for flags, reason in (
        ((), "a machine needs at least one resource"),
        (("--resource", ""), "a machine needs at least one resource"),
        ((*resource, "--redirect-uri", "https://a.example/"), f"{kind} redirect_uris"),
        ((*resource, "--public"), f"{kind} public"),
        ((*resource, "--skip-consent", "--groups"), f"{kind} skip_consent, groups"),
        ((*resource, "--allow", "user:anna"), f"{kind} allow"),
        ((*resource, "--scope", "openid"), scopes),
        ((*resource, "--scope", "notes:read groups"), scopes),
        ((*resource, "--scope", "address"), scopes),
        ((*resource, "--scope", ""), scopes),
    ):
        with subtests.test(flags=flags):
            status, message = _refused(capsys, "--machine", "--name", "Backup", *flags)

            assert status == 1
            assert message.endswith(reason)
            assert _clients(database) == []


def test_a_failure_half_way_leaves_nothing_and_prints_no_secret(capsys, database):
    refuse(database, "UPDATE", "oauth_client")

    status, message = _refused(capsys, *REQUIRED)

    assert status == 1
    assert "the disk is full" in message
    assert "\n" not in message
    assert _clients(database) == []
    assert _traces(database) == [0, 0, 0, 0]


@pytest.mark.attack("RFC6819-4.2.3")
def test_a_public_client_on_a_device_cannot_skip_consent(subtests, run, capsys, database):
    for uri in (
        *("http://127.0.0.1:4711/cb", "http://[::1]/cb", "http://localhost/cb", "com.example:/cb"),
        *("https://localhost:4444/cb", "https://127.0.0.1/cb"),
    ):
        with subtests.test(uri=uri):
            arguments = (*REQUIRED, "--redirect-uri", uri, "--skip-consent")
            before = _clients(database)

            status, message = _refused(capsys, *arguments, "--public")

            assert status == 1
            reason = "cannot skip consent: any program on the device could pass for it"
            assert f"{uri!r} {reason}" in message
            assert _clients(database) == before
            run(*arguments)

    run(*REQUIRED, "--public", "--skip-consent")
