"""``authservice keys``: what is listed, what changes, and what running servers make of it."""

import base64
import json
from datetime import timedelta
from functools import partial

import pytest
from sqlalchemy import select

from authservice.cli import main as authservice
from authservice.crypto.server_secret import secret_file
from authservice.models import jwks
from authservice.services.keys.key_schedule import PUBLISHED_AFTER, PUBLISHED_BEFORE
from authservice.services.keys.signing_keys import READ_AGAIN_AFTER
from tests.helpers.published_keys import JWKS, decoded

pytestmark = pytest.mark.usefixtures("clients_of_all_algs", "found_by_commands")

ALGS = {"RS256", "ES256", "EdDSA"}


@pytest.fixture
def run(printed):
    return partial(printed, authservice, "keys")


@pytest.fixture
def listed(run):
    """Give what ``keys list --json`` prints."""
    return lambda: json.loads(run("list", "--json").out)


@pytest.fixture
def refused(capsys, database):
    """Give the command: its message after it has failed, and written nothing."""

    def command(*arguments):
        before = rows(database)
        with pytest.raises(SystemExit) as stop:
            authservice(["keys", *arguments])
        assert capsys.readouterr().out == ""
        assert rows(database) == before
        assert "\n" not in str(stop.value)
        return str(stop.value)

    return command


@pytest.fixture
def keys(turnable_clock, app):
    """The signing keys of a running server."""
    return app.registry.components.signing_keys


def rows(database):
    return database.reader.execute(select(jwks).order_by(jwks.c.id)).all()


def in_state(listed, state):
    return {key["alg"]: key["kid"] for key in listed if key["state"] == state}


def signer(keys, browser, alg="RS256"):
    return decoded(keys.sign({}, alg=alg, typ="JWT"), browser, alg)[0]["kid"]


def test_the_list_says_what_each_key_is_for(run, keys, listed):
    output = run("list")

    assert output.err == ""
    assert len(output.out.splitlines()) == 3
    assert all("  signing   made 2" in line for line in output.out.splitlines())
    assert in_state(listed(), "signing").keys() == ALGS
    assert {key["secret"] for key in listed()} == {"current"}
    assert set(listed()[0]) == {
        "kid",
        "alg",
        "state",
        "secret",
        "created_at",
        "signs_from",
        "signs_until",
        "published_until",
        "verifies_until",
    }


def test_no_private_half_is_ever_printed(run, keys, database):
    output = run("list", "--json").out

    assert not any(row.private_key in output for row in rows(database))
    assert '"d"' not in output


def test_a_rotation_publishes_the_next_keys_first(run, keys, listed, browser, turnable_clock):
    before = in_state(listed(), "signing")

    run("rotate")

    assert in_state(listed(), "signing") == before
    following = in_state(listed(), "next")
    assert following.keys() == ALGS
    turnable_clock.moment += READ_AGAIN_AFTER
    assert len(browser.get(JWKS).json["keys"]) == 6
    assert signer(keys, browser) == before["RS256"]
    turnable_clock.moment += PUBLISHED_BEFORE
    assert signer(keys, browser) == following["RS256"]
    assert in_state(listed(), "signing") == following
    assert in_state(listed(), "retiring") == before
    turnable_clock.moment += PUBLISHED_AFTER
    assert in_state(listed(), "retired") == before


def test_the_list_says_when_a_key_takes_over(run, keys, listed, turnable_clock):
    run("rotate")

    ends = {key["alg"]: key["signs_until"] for key in listed() if key["state"] == "signing"}
    begins = {key["alg"]: key["signs_from"] for key in listed() if key["state"] == "next"}
    assert ends == begins
    moment = (turnable_clock.moment + PUBLISHED_BEFORE).strftime("%Y-%m-%dT%H:%M:%SZ")
    assert set(ends.values()) == {moment}
    assert f"signs from {moment}" in run("list").out


def test_the_next_keys_are_not_made_twice(run, keys, refused):
    run("rotate")

    assert "are published already" in refused("rotate")


def test_at_once_means_that_servers_follow_in_a_minute(run, keys, listed, browser, turnable_clock):
    before = in_state(listed(), "signing")

    run("rotate", "--immediately")

    now = in_state(listed(), "signing")
    assert now.keys() == ALGS
    assert set(now.values()).isdisjoint(before.values())
    assert in_state(listed(), "retiring") == before
    turnable_clock.moment += READ_AGAIN_AFTER
    assert signer(keys, browser) == now["RS256"]


def test_at_once_also_takes_over_from_keys_that_wait(run, keys, listed):
    run("rotate")
    waiting = in_state(listed(), "next")

    run("rotate", "--immediately")

    assert in_state(listed(), "next") == {}
    assert set(in_state(listed(), "signing").values()).isdisjoint(waiting.values())


def test_the_only_key_that_signs_is_not_retired(run, keys, listed, refused):
    kid = in_state(listed(), "signing")["ES256"]

    assert refused("retire", kid) == (
        f"authservice: {kid} is the only key that signs with ES256; --replace makes another"
    )


def test_replaced_it_is_gone_in_a_minute(run, keys, listed, browser, turnable_clock):
    before = in_state(listed(), "signing")
    token = keys.sign({"sub": "u"}, alg="ES256", typ="JWT")

    run("retire", before["ES256"], "--replace")

    after = in_state(listed(), "signing")
    assert after["ES256"] != before["ES256"]
    assert {**after, "ES256": None} == {**before, "ES256": None}
    turnable_clock.moment += READ_AGAIN_AFTER
    assert keys.verify(token, typ="JWT") is None
    published = {key["kid"] for key in browser.get(JWKS).json["keys"]}
    assert published == set(after.values())
    assert signer(keys, browser, "ES256") == after["ES256"]


def test_a_key_that_signs_no_more_can_be_retired(run, keys, listed, turnable_clock, browser):
    before = in_state(listed(), "signing")
    run("rotate", "--immediately")

    for kid in before.values():
        run("retire", kid)

    assert in_state(listed(), "retiring") == {}
    turnable_clock.moment += READ_AGAIN_AFTER
    assert len(browser.get(JWKS).json["keys"]) == 3


def test_a_replacement_is_made_only_where_it_is_needed(run, keys, listed):
    before = in_state(listed(), "signing")
    run("rotate", "--immediately")

    run("retire", before["RS256"], "--replace")

    assert len(listed()) == 5


def test_where_the_next_key_is_retired_another_is_published_for_as_long(
    run, keys, listed, browser, turnable_clock
):
    run("rotate")
    turnable_clock.moment += PUBLISHED_BEFORE - timedelta(minutes=5)
    browser.get(JWKS)
    old = in_state(listed(), "signing")["EdDSA"]
    run("retire", in_state(listed(), "next")["EdDSA"])

    turnable_clock.moment += READ_AGAIN_AFTER
    browser.get(JWKS)
    keys.wait()
    turnable_clock.moment += PUBLISHED_BEFORE - timedelta(minutes=1)

    assert signer(keys, browser, "EdDSA") == old
    turnable_clock.moment += timedelta(minutes=2)
    assert signer(keys, browser, "EdDSA") != old


def test_an_unknown_key_is_not_retired(keys, refused):
    assert refused("retire", "nobody").startswith("authservice: there is no key nobody")


@pytest.mark.parametrize("command", [["rotate"], ["rotate", "--immediately"], ["reencrypt"]])
def test_a_dry_run_writes_nothing(run, keys, database, command):
    before = rows(database)

    output = run(*command, "--dry-run")

    assert output.out == ""
    assert output.err == "Everything is in order; nothing was written.\n"
    assert rows(database) == before


def test_a_dry_run_retires_nothing(run, keys, database, listed):
    before = rows(database)
    kid = listed()[0]["kid"]

    tried = json.loads(run("retire", kid, "--replace", "--dry-run", "--json").out)

    assert rows(database) == before
    assert kid not in {key["kid"] for key in tried}
    assert len(tried) == len(before)


@pytest.mark.parametrize("command", [["list"], ["rotate"], ["reencrypt"]])
def test_without_the_secret_nothing_is_done(command, refused, database, monkeypatch):
    monkeypatch.delenv("AUTH_SECRET", raising=False)

    assert "AUTH_SECRET: not set" in refused(*command)
    assert not secret_file(database.url.database).exists()


def test_a_secret_that_cannot_be_used_is_named(refused, monkeypatch):
    monkeypatch.setenv("AUTH_SECRET", "short")

    assert "AUTH_SECRET: must" in refused("list")


@pytest.mark.parametrize(
    "command", [["rotate"], ["rotate", "--immediately"], ["retire", "KID", "--replace"]]
)
def test_with_another_secret_nothing_is_changed(keys, refused, monkeypatch, listed, command):
    kid = listed()[0]["kid"]
    monkeypatch.setenv("AUTH_SECRET", base64.b64encode(bytes(range(32))).decode())

    message = refused(*(kid if word == "KID" else word for word in command))

    assert message.startswith("authservice: AUTH_SECRET is not the one that the service")


def test_with_another_secret_the_keys_are_listed_as_locked(keys, run, monkeypatch):
    monkeypatch.setenv("AUTH_SECRET", base64.b64encode(bytes(range(32))).decode())

    output = run("list")

    assert output.out.count("  locked  ") == 3
    assert "AUTH_SECRET_PREVIOUS" in output.err
    assert {key["secret"] for key in json.loads(run("list", "--json").out)} == {None}


def test_a_database_that_is_not_migrated_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("AUTH_DATABASE_URL", f"sqlite:///{tmp_path}/none.sqlite")

    with pytest.raises(SystemExit, match="is not migrated"):
        authservice(["keys", "list"])
