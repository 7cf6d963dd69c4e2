"""``authservice sign-out-everyone``: no session is left afterwards, and nothing else is lost."""

import json

import pytest
from sqlalchemy import func, select

from authservice.cli import main as authservice
from authservice.events import EveryoneSignedOut
from authservice.models import oauth_client, oauth_consent, user
from tests.helpers.expired import notices

pytestmark = pytest.mark.usefixtures("found_by_commands")


@pytest.fixture
def client(told_client, by_hand):
    return told_client


@pytest.fixture
def tokens(browser, client):
    return client.redeem(client.sign_in_with(browser)).json


def kept(database):
    return [
        database.reader.scalar(select(func.count()).select_from(table))
        for table in (user, oauth_client, oauth_consent)
    ]


def test_every_session_and_every_token_ends(browser, client, tokens, database, happened, capsys):
    code = client.sign_in_with(browser)
    form = browser.get("/sign-in").forms[0]
    leaving = form.submit("choice", value="sign-in").location

    authservice(["sign-out-everyone", "--json"])

    assert json.loads(capsys.readouterr().out) == {
        "access_tokens": 1,
        "refresh_tokens": 1,
        "sessions": 1,
        "verifications": 2,
    }
    assert browser.session() is None
    assert client.redeem(code).json["error"] == "invalid_grant"
    assert client.refresh(tokens["refresh_token"]).json["error"] == "invalid_grant"
    assert client.userinfo(tokens["access_token"]).status_int == 401
    assert browser.visit(leaving, expect_errors=True).status_int == 400
    assert [client_id for _, client_id in notices(database)] == [client.client_id]
    assert kept(database) == [1, 1, 1]
    assert EveryoneSignedOut(sessions=1, refresh_tokens=1) in happened()


def test_a_code_that_was_redeemed_is_remembered_as_such(browser, client, database):
    code = client.sign_in_with(browser)
    client.redeem(code)

    authservice(["sign-out-everyone"])

    assert client.redeem(code).json["error"] == "invalid_grant"


def test_it_says_how_many_there_were(tokens, capsys):
    authservice(["sign-out-everyone"])

    assert capsys.readouterr().out.splitlines() == [
        "access tokens: 1",
        "refresh tokens: 1",
        "sessions: 1",
        "verifications: 0",
    ]


def test_a_dry_run_signs_nobody_out(browser, client, tokens, capsys, caplog):
    caplog.set_level("INFO", "authservice.events")

    authservice(["sign-out-everyone", "--dry-run"])

    output = capsys.readouterr()
    assert "sessions: 1\n" in output.out
    assert output.err.endswith("\nEverything is in order; nothing was written.\n")
    assert browser.session() is not None
    assert client.userinfo(tokens["access_token"]).status_int == 200
    assert "everyone_signed_out" not in caplog.text
