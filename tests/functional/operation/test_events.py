"""Which events the ways through the service log, as each way ends."""

import logging

import pytest

from authservice.cli import main as authservice
from authservice.events import (
    ClientChanged,
    ClientDeleted,
    ClientDisabled,
    ClientEnabled,
    ClientRegistered,
    ClientSecretRotated,
    CodeReplayed,
    ConsentGiven,
    ConsentRefused,
    ConsentWithdrawn,
    RefreshTokenReplayed,
    SignedIn,
    SignedOut,
    SignInFailed,
    TokenIssued,
    TokenRefused,
    TokenRevoked,
)
from tests.helpers.browser import ORIGIN

SUB = "local-developer"
SCOPE = "openid profile email offline_access"
JSON_API = {"Origin": ORIGIN}
REVOKE = "/api/auth/oauth2/revoke"


@pytest.fixture
def happened(caplog, relying_party):
    """Return the events since the last call."""
    caplog.set_level(logging.INFO, "authservice.events")
    caplog.clear()

    def since():
        found = [record.event for record in caplog.records if hasattr(record, "event")]
        caplog.clear()
        return found

    return since


@pytest.fixture
def tokens(turnable_clock, browser, relying_party, happened):
    found = relying_party.redeem(relying_party.sign_in_with(browser)).json
    happened()
    return found


def issued(client, grant_type):
    return TokenIssued(grant_type=grant_type, client_id=client.client_id, sub=SUB, scope=SCOPE)


def refused(client, grant_type, error="invalid_grant"):
    return TokenRefused(grant_type=grant_type, client_id=client.client_id, error=error)


def test_a_sign_in_a_consent_and_the_first_tokens(browser, relying_party, happened):
    code = relying_party.sign_in_with(browser)

    sid = browser.session()["session"]["id"]
    assert happened() == [
        SignedIn(sub=SUB, sid=sid, provider="github", new_user=True),
        ConsentGiven(sub=SUB, client_id=relying_party.client_id, scope=SCOPE, resources=()),
    ]
    relying_party.redeem(code)
    assert happened() == [issued(relying_party, "authorization_code")]


def test_a_sign_in_that_fails(browser, happened):
    page = browser.get("/sign-in").forms[0].submit("choice", value="sign-in")
    state = page.location.partition("state=")[2]
    error = {"error": "access_denied", "state": state}
    browser.get("/api/auth/callback/github", error, expect_errors=True)

    assert happened() == [SignInFailed(provider="github", error="access_denied")]


@pytest.mark.attack("BROWSER-log-injection")
def test_an_error_of_the_provider_is_no_way_into_the_log(browser, happened):
    page = browser.get("/sign-in").forms[0].submit("choice", value="sign-in")
    state = page.location.partition("state=")[2]
    error = {"error": "a\nforged line", "state": state}
    browser.get("/api/auth/callback/github", error, expect_errors=True)

    assert happened() == [SignInFailed(provider="github", error="unknown")]


def test_a_refusal_of_consent(browser, relying_party, happened):
    browser.sign_in()
    happened()
    page = browser.follow_home(relying_party.authorize(browser))

    page.forms[0].submit("decision", value="deny")

    assert happened() == [ConsentRefused(sub=SUB, client_id=relying_party.client_id)]


def test_a_consent_that_is_withdrawn(browser, relying_party, tokens, happened):
    (consent,) = browser.get("/api/auth/oauth2/get-consents").json

    browser.post_json("/api/auth/oauth2/delete-consent", {"id": consent["id"]}, headers=JSON_API)

    assert happened() == [ConsentWithdrawn(sub=SUB, client_id=relying_party.client_id)]


def test_a_refresh(relying_party, tokens, happened):
    relying_party.refresh(tokens["refresh_token"])

    assert happened() == [issued(relying_party, "refresh_token")]


def test_a_replay_of_a_refresh_token(turnable_clock, relying_party, tokens, happened):
    relying_party.refresh(tokens["refresh_token"])
    turnable_clock.advance(seconds=11)
    happened()

    relying_party.refresh(tokens["refresh_token"])

    assert sorted(happened(), key=lambda event: event.name) == [
        RefreshTokenReplayed(client_id=relying_party.client_id, sub=SUB),
        refused(relying_party, "refresh_token"),
    ]


def test_a_replay_of_a_code(browser, relying_party, happened):
    code = relying_party.sign_in_with(browser)
    relying_party.redeem(code)
    happened()

    relying_party.redeem(code)

    assert sorted(happened(), key=lambda event: event.name) == [
        CodeReplayed(client_id=relying_party.client_id, sub=SUB),
        refused(relying_party, "authorization_code"),
    ]


def test_a_code_that_comes_too_late_is_no_replay(turnable_clock, browser, relying_party, happened):
    code = relying_party.sign_in_with(browser)
    turnable_clock.advance(hours=1)
    happened()

    relying_party.redeem(code)

    assert happened() == [refused(relying_party, "authorization_code")]


def test_token_requests_that_are_refused(relying_party, happened):
    relying_party.token_request({"grant_type": "x\n" * 100})
    assert happened() == [refused(relying_party, None, "unsupported_grant_type")]

    relying_party.client_secret = "wrong"
    relying_party.refresh("unknown")
    assert happened() == [
        TokenRefused(grant_type="refresh_token", client_id=None, error="invalid_client")
    ]


@pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
def test_a_token_that_is_given_back(relying_party, tokens, happened, kind):
    form = {"token": tokens[kind]}
    relying_party.http.post(REVOKE, form, headers=relying_party.credentials())
    assert happened() == [TokenRevoked(client_id=relying_party.client_id, sub=SUB)]

    relying_party.http.post(REVOKE, {"token": "unknown"}, headers=relying_party.credentials())
    assert happened() == []


def test_a_sign_out_and_none_where_there_is_no_session(browser, happened):
    browser.sign_in()
    sid = browser.session()["session"]["id"]
    happened()

    browser.post_json("/api/auth/sign-out", {}, headers=JSON_API)
    assert happened() == [SignedOut(sub=SUB, sid=sid)]

    browser.post_json("/api/auth/sign-out", {}, headers=JSON_API)
    assert happened() == []


def test_a_session_whose_time_was_over_was_not_signed_out(turnable_clock, browser, happened):
    browser.sign_in()
    turnable_clock.advance(days=8)
    happened()

    browser.post_json("/api/auth/sign-out", {}, headers=JSON_API)

    assert happened() == []


def test_nothing_is_logged_of_what_was_not_committed(browser, happened, monkeypatch):
    page = browser.get("/sign-in").forms[0].submit("choice", value="sign-in")
    monkeypatch.setattr("authservice.web.sign_in.arrival.see_other", lambda _: 1 / 0)

    browser.visit(page.location, expect_errors=True)

    assert happened() == []


@pytest.mark.usefixtures("found_by_commands")
def test_what_commands_change(capsys, happened):
    wanted = ["--name", "Wiki", "--redirect-uri", "https://wiki.example.com/"]

    authservice(["oauth:register", *wanted, "--dry-run"])
    assert happened() == []

    authservice(["oauth:register", *wanted])
    (registered,) = happened()
    assert registered == ClientRegistered(client_id=registered.client_id)

    which = {"client_id": registered.client_id}
    for arguments, event in [
        (["update", "--name", "W", "--skip-consent"], ClientChanged),
        (["disable"], ClientDisabled),
        (["enable"], ClientEnabled),
        (["rotate-secret"], ClientSecretRotated),
        (["delete"], ClientDeleted),
    ]:
        command = ["clients", arguments[0], registered.client_id, *arguments[1:]]
        authservice([*command, "--dry-run"])
        assert happened() == []
        authservice(command)
        more = {"changed": ("name", "skip_consent")} if event is ClientChanged else {}
        assert happened() == [event(**which, **more)]
