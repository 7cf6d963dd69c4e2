"""What another request does between the look-up and the transaction that decides."""

import json
from contextlib import ExitStack
from functools import cache

import pytest
from sqlalchemy import delete, update

from authservice import clock
from authservice.models import oauth_consent, session
from authservice.oauth.oauth_request import TOKEN, OAuthRequest
from authservice.oauth.server import server
from authservice.services.people import consents
from authservice.services.sessions import sessions
from authservice.services.tokens import authorization_codes, refresh_tokens
from tests.helpers.relying_party import RelyingParty
from tests.helpers.resource_file import resource_file
from tests.helpers.server_context import server_context

CALENDAR = "https://calendar.example.com/"


@pytest.fixture
def app(make_app, tmp_path):
    return make_app(auth__resources=resource_file(tmp_path, CALENDAR))


@pytest.fixture
def relying_party(app, database):
    return RelyingParty.registered(app, database, resources=[CALENDAR])


@pytest.fixture
def code(browser, relying_party):
    return relying_party.sign_in_with(browser)


@pytest.fixture
def overtaken(app, database, relying_party):
    """Send a token request that another one overtakes just before its transaction begins."""
    components = app.registry.components

    def send(overtake, **form):
        sent = {
            "client_id": relying_party.client_id,
            "client_secret": relying_party.client_secret,
            "redirect_uri": relying_party.redirect_uri,
            "code_verifier": relying_party.verifier,
        } | form
        with ExitStack() as ending:

            @cache
            def transaction():
                # Before this request asks for the one connection that writes.
                overtake()
                return ending.enter_context(database.begin())

            context = server_context(components, database, transaction)
            request = OAuthRequest.read(TOKEN, context, None, sent.items())
            answer = server.create_token_response(request)
        return answer.status, json.loads(answer.body)

    return send


def take_back(database, client):
    with database.transaction() as connection:
        connection.execute(
            delete(oauth_consent).where(oauth_consent.c.client_id == client.client_id)
        )


def refused(answer):
    status, body = answer
    return (status, body["error"]) == (400, "invalid_grant")


@pytest.mark.attack("TOKENS-race-code")
def test_a_code_redeemed_meanwhile_is_refused_and_its_tokens_end(overtaken, relying_party, code):
    others = []

    answer = overtaken(
        lambda: others.append(relying_party.redeem(code).json),
        grant_type="authorization_code",
        code=code,
    )

    assert refused(answer)
    assert relying_party.userinfo(others[0]["access_token"]).status_int == 401
    assert relying_party.refresh(others[0]["refresh_token"]).status_int == 400


def end(transaction, session_id):
    sessions.end(transaction, [session_id])


def expire(transaction, session_id):
    ended = update(session).where(session.c.id == session_id).values(expires_at=clock.now())
    transaction.connection.execute(ended)


@pytest.mark.attack("TOKENS-race-sign-out")
@pytest.mark.parametrize("leave", [end, expire])
def test_a_session_ended_meanwhile_gives_no_tokens(overtaken, database, code, leave):
    def sign_out():
        with database.begin() as transaction:
            found = authorization_codes.find(transaction.connection, code)
            leave(transaction, found.grant.session_id)

    answer = overtaken(sign_out, grant_type="authorization_code", code=code)

    assert refused(answer)
    assert answer[1]["error_description"] == "The user has signed out since."


@pytest.mark.parametrize("resources", [[], [CALENDAR]])
def test_a_consent_taken_back_meanwhile_gives_no_tokens(
    overtaken, database, browser, relying_party, resources
):
    code = relying_party.sign_in_with(browser, resource=resources)

    assert refused(
        overtaken(
            lambda: take_back(database, relying_party), grant_type="authorization_code", code=code
        )
    )


def test_a_resource_that_is_not_allowed_any_longer_is_in_no_token(
    overtaken, database, browser, relying_party
):
    code = relying_party.sign_in_with(browser, resource=[CALENDAR])

    def take_resources_back():
        with database.transaction() as connection:
            connection.execute(update(oauth_consent).values(resources=None))

    assert refused(overtaken(take_resources_back, grant_type="authorization_code", code=code))


def test_a_scope_declined_meanwhile_is_not_refreshed(
    overtaken, database, browser, relying_party, code
):
    token = relying_party.redeem(code).json["refresh_token"]
    user_id = browser.session()["user"]["id"]

    def decline():
        with database.begin() as transaction:
            consents.grant(transaction, relying_party.client_id, user_id, [], ["email"])

    status, body = overtaken(decline, grant_type="refresh_token", refresh_token=token)

    assert status == 200
    assert "email" not in body["scope"].split()


def test_a_refresh_token_used_meanwhile_gives_its_one_successor(overtaken, relying_party, code):
    token = relying_party.redeem(code).json["refresh_token"]
    others = []

    status, body = overtaken(
        lambda: others.append(relying_party.refresh(token).json),
        grant_type="refresh_token",
        refresh_token=token,
    )

    assert status == 200
    assert body["refresh_token"] == others[0]["refresh_token"]
    assert body["access_token"] != others[0]["access_token"]
    assert relying_party.userinfo(body["access_token"]).status_int == 200


def test_a_refresh_token_revoked_meanwhile_is_refused(
    overtaken, app, database, relying_party, code
):
    token = relying_party.redeem(code).json["refresh_token"]

    def revoke():
        with database.transaction() as connection:
            found = refresh_tokens.find(connection, app.registry.components.secret, token)
            refresh_tokens.revoke_family(connection, found.family.id)

    assert refused(overtaken(revoke, grant_type="refresh_token", refresh_token=token))


def test_a_refresh_token_used_long_ago_meanwhile_is_a_replay(
    overtaken, relying_party, code, turnable_clock
):
    token = relying_party.redeem(code).json["refresh_token"]
    others = []

    def refresh_and_wait():
        others.append(relying_party.refresh(token).json)
        turnable_clock.advance(seconds=11)

    assert refused(overtaken(refresh_and_wait, grant_type="refresh_token", refresh_token=token))
    assert relying_party.refresh(others[0]["refresh_token"]).status_int == 400


@pytest.mark.attack("TOKENS-race-sign-out")
def test_signing_out_meanwhile_leaves_the_refreshed_token_without_a_session(
    overtaken, database, browser, relying_party, code
):
    token = relying_party.redeem(code).json["refresh_token"]
    session_id = browser.session()["session"]["id"]

    def sign_out():
        with database.begin() as transaction:
            sessions.end(transaction, [session_id])

    status, body = overtaken(sign_out, grant_type="refresh_token", refresh_token=token)

    assert status == 200
    assert relying_party.userinfo(body["access_token"]).status_int == 200
