"""``authservice clients``: what disabling, new secrets and deleting do to clients that run."""

import json
from functools import partial

import pytest
from sqlalchemy import func, select

from authservice.cli import main as authservice
from authservice.crypto.secret_values import digest
from authservice.models import (
    logout_notice,
    oauth_access_token,
    oauth_client,
    oauth_consent,
    oauth_refresh_token,
    session,
    session_participant,
    user,
)
from tests.helpers.browser import ORIGIN, Browser
from tests.helpers.relying_party import RelyingParty
from tests.helpers.token_states import introspect

HANGING_ON = (
    oauth_access_token,
    oauth_refresh_token,
    oauth_consent,
    session_participant,
    logout_notice,
)


@pytest.fixture
def run(printed):
    return partial(printed, authservice, "clients")


@pytest.fixture
def tokens(turnable_clock, browser, relying_party):
    return relying_party.redeem(relying_party.sign_in_with(browser)).json


def count(database, table):
    return database.reader.scalar(select(func.count()).select_from(table))


def new_secret(output):
    return json.loads(output.out)["client_secret"]


def with_secret(client, secret):
    client.client_secret = secret
    return client


def authenticates(client):
    """Tell whether the token endpoint knows the client; the token it sends is none."""
    error = client.refresh("none").json["error"]
    assert error in {"invalid_client", "invalid_grant"}
    return error == "invalid_grant"


@pytest.mark.requirement("RFC6749-6-1")
def test_disabling_ends_everything_at_once(run, browser, relying_party, tokens):
    code = relying_party.sign_in_with(browser)

    run("disable", relying_party.client_id)

    assert relying_party.userinfo(tokens["access_token"]).status_int == 401
    refused = relying_party.refresh(tokens["refresh_token"]).json
    assert refused["error"] == "invalid_client"
    assert refused["error_description"].startswith("Client authentication failed")
    assert relying_party.redeem(code).json["error"] == "invalid_client"
    assert introspect(relying_party, tokens["access_token"]).json["error"] == "invalid_client"


def test_enabling_brings_back_what_is_not_too_old(run, relying_party, tokens):
    run("disable", relying_party.client_id)
    shown = json.loads(run("enable", relying_party.client_id, "--json").out)

    assert shown["disabled"] is False
    assert relying_party.userinfo(tokens["access_token"]).status_int == 200
    assert relying_party.refresh(tokens["refresh_token"]).status_int == 200


def test_disabling_one_client_leaves_the_others(run, app, database, relying_party, tokens):
    other = RelyingParty.registered(app, database)

    run("disable", other.client_id)

    assert relying_party.userinfo(tokens["access_token"]).status_int == 200


def test_a_new_secret_replaces_the_old_one_at_once(run, relying_party, database):
    old = relying_party.client_secret

    secret = new_secret(run("rotate-secret", relying_party.client_id, "--json"))

    assert not authenticates(with_secret(relying_party, old))
    assert authenticates(with_secret(relying_party, secret))
    stored = database.reader.execute(select(oauth_client)).one()
    assert stored.client_secret == digest(secret)
    assert stored.previous_client_secret is None
    assert secret not in repr(tuple(stored))


def test_the_old_secret_works_as_long_as_the_overlap(run, relying_party, turnable_clock):
    old = relying_party.client_secret
    secret = new_secret(run("rotate-secret", relying_party.client_id, "--overlap", "60", "--json"))

    turnable_clock.advance(seconds=60, milliseconds=-1)
    assert authenticates(with_secret(relying_party, old))
    assert authenticates(with_secret(relying_party, secret))
    turnable_clock.advance(milliseconds=1)
    assert not authenticates(with_secret(relying_party, old))
    assert authenticates(with_secret(relying_party, secret))


def test_a_second_rotation_ends_the_first_secret(run, relying_party):
    first = relying_party.client_secret
    arguments = ("rotate-secret", relying_party.client_id, "--overlap", "3600", "--json")
    second = new_secret(run(*arguments))
    third = new_secret(run(*arguments))

    assert not authenticates(with_secret(relying_party, first))
    assert authenticates(with_secret(relying_party, second))
    assert authenticates(with_secret(relying_party, third))


@pytest.mark.attack("RFC6819-4.1.1")
def test_a_leaked_secret_is_gone_with_a_rotation_without_overlap(run, relying_party):
    first = relying_party.client_secret
    client_id = relying_party.client_id
    second = new_secret(run("rotate-secret", client_id, "--overlap", "3600", "--json"))
    run("rotate-secret", client_id)

    assert not authenticates(with_secret(relying_party, first))
    assert not authenticates(with_secret(relying_party, second))


def test_a_new_secret_spares_the_tokens(run, relying_party, tokens):
    secret = new_secret(run("rotate-secret", relying_party.client_id, "--json"))

    refreshed = with_secret(relying_party, secret).refresh(tokens["refresh_token"])

    assert refreshed.status_int == 200


def fails(capsys, *arguments):
    with pytest.raises(SystemExit) as stop:
        authservice(["clients", *arguments])
    return f"{stop.value.code} {capsys.readouterr().err}"


def test_a_public_client_has_no_secret_to_rotate(run, app, database, capsys):
    client = RelyingParty.registered(app, database, public=True)

    assert "a public client has no secret" in fails(capsys, "rotate-secret", client.client_id)
    assert database.reader.execute(select(oauth_client)).one().client_secret is None


def test_an_overlap_is_bounded(subtests, run, relying_party, capsys):
    for overlap in ("-1", "2592001", "1.5", "soon", ""):
        with subtests.test(overlap=overlap):
            message = fails(
                capsys, "rotate-secret", relying_party.client_id, f"--overlap={overlap}"
            )

            assert "0 to 2592000 seconds" in message
            assert authenticates(relying_party)


def test_deleting_takes_along_everything_that_hangs_on_the_client(run, app, database, browser):
    gone, kept = (
        RelyingParty.registered(
            app, database, name=name, backchannel_logout_uri="http://127.0.0.1:1/never"
        )
        for name in ("Gone", "Kept")
    )
    app.registry.components.backchannel_logout.stop()
    second = Browser(app)
    for client in (gone, kept):
        for each in (browser, second):
            assert client.redeem(client.sign_in_with(each)).status_int == 200
    second.post_json("/api/auth/sign-out", {}, headers={"Origin": ORIGIN})
    before = {table.name: count(database, table) for table in HANGING_ON}

    output = run("delete", gone.client_id)

    assert output.out == ""
    assert output.err == f"Deleted {gone.client_id}.\n"
    assert {table.name: count(database, table) * 2 for table in HANGING_ON} == before
    assert all(before.values())
    assert [row.client_id for row in database.reader.execute(select(oauth_client))] == [
        kept.client_id
    ]
    assert (count(database, user), count(database, session)) == (1, 1)
    assert not authenticates(gone)


def test_a_dry_run_writes_nothing_and_shows_no_secret(subtests, run, relying_party, database):
    for arguments in (
        ["update", "--name", "X"],
        ["disable"],
        ["enable"],
        ["rotate-secret"],
        ["rotate-secret", "--json"],
        ["delete"],
        ["delete", "--json"],
    ):
        with subtests.test(arguments=arguments):
            before = database.reader.execute(select(oauth_client)).all()
            command, *rest = arguments

            output = run(command, relying_party.client_id, *rest, "--dry-run")

            assert '"client_secret":' not in output.out
            assert bool(output.out) == ("--json" in rest and command != "delete")
            assert output.err == "Everything is in order; nothing was written.\n"
            assert database.reader.execute(select(oauth_client)).all() == before


def test_a_dry_run_prints_what_a_change_would_print(run, relying_party):
    arguments = ("update", relying_party.client_id, "--name", "X", "--json")

    tried = json.loads(run(*arguments, "--dry-run").out)

    assert tried["client_name"] == "X"
    assert tried == json.loads(run(*arguments).out)


@pytest.mark.parametrize("arguments", [["update", "--name", " "], ["update"], ["rotate-secret"]])
def test_a_dry_run_names_the_same_faults(run, app, database, capsys, arguments):
    client = RelyingParty.registered(app, database, public=True)
    command, *rest = arguments

    dry = fails(capsys, command, client.client_id, *rest, "--dry-run")

    assert dry == fails(capsys, command, client.client_id, *rest)
