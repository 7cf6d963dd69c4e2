"""Tokens that are being issued while they are revoked: none of them outlives that.

On PostgreSQL both happen at once. Whichever begins first is held in the middle here until the
other waits for it. On SQLite there is no such middle: its transactions come one after the other.
"""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from authservice.oauth.authorize import consent
from authservice.oauth.oauth_request import AUTHORIZATION, OAuthRequest
from authservice.oauth.server import server
from authservice.services.clients import client_administration
from authservice.services.people import consents
from authservice.services.sessions import sessions
from authservice.services.tokens import authorization_codes, refresh_tokens
from tests.helpers.lock_waits import wait_until_blocked
from tests.races.story import SESSION_API, Story

pytestmark = pytest.mark.engines("postgresql")

REVOKE = "/api/auth/oauth2/revoke"


# What a person or a client does, over HTTP, after which nothing may be left.


def revoke_the_token(story):
    form = {"token": story.tokens["refresh_token"]}
    story.client.http.post(REVOKE, form, headers=story.client.credentials())


def redeem_the_code_again(story):
    assert story.client.redeem(story.spent_code).status_int == 400


def sign_out_everywhere(story):
    story.post("revoke-sessions", {})


def take_the_consent_back(story):
    (consent,) = story.browser.get(f"{SESSION_API}/oauth2/get-consents").json
    story.post("oauth2/delete-consent", {"id": consent["id"]})


def delete_the_client(story):
    with story.database.begin() as transaction:
        row = client_administration.find_to_change(transaction.connection, story.client.client_id)
        client_administration.remove(transaction, row)


REFRESHED = [
    revoke_the_token,
    redeem_the_code_again,
    sign_out_everywhere,
    take_the_consent_back,
    delete_the_client,
]
REDEEMED = [sign_out_everywhere, take_the_consent_back, delete_the_client]


@pytest.mark.parametrize(
    ("issue", "take_back"),
    [
        *((Story.refresh, take_back) for take_back in REFRESHED),
        *((Story.redeem, take_back) for take_back in REDEEMED),
    ],
)
def test_what_is_being_issued_is_taken_back_too(story, issue, take_back):
    with ThreadPoolExecutor(1) as other:
        with story.being_issued(issue(story)) as answer:
            taking_back = other.submit(take_back, story)
            wait_until_blocked(story.database, taking_back)
        taking_back.result()

    assert answer.status == 200
    issued = json.loads(answer.body)
    assert story.client.userinfo(issued["access_token"]).status_int == 401
    assert story.client.refresh(issued["refresh_token"]).status_int in {400, 401}


def test_a_sign_out_ends_the_access_token_that_is_being_issued(story):
    with ThreadPoolExecutor(1) as other:
        with story.being_issued(story.redeem()) as answer:
            signing_out = other.submit(story.post, "sign-out", {})
            wait_until_blocked(story.database, signing_out)
        signing_out.result()

    issued = json.loads(answer.body)
    assert story.client.userinfo(issued["access_token"]).status_int == 401
    # The client was promised to outlive the session.
    assert story.client.refresh(issued["refresh_token"]).status_int == 200


# The same in a transaction of its own, held before its end.


def revoking_the_family(story, transaction):
    connection = transaction.connection
    found = refresh_tokens.find(
        connection, story.app.registry.components.secret, story.tokens["refresh_token"]
    )
    refresh_tokens.revoke_family(connection, found.family.id)


def ending_the_session(story, transaction):
    code = authorization_codes.find(transaction.connection, story.code)
    sessions.end(transaction, [code.grant.session_id])


def taking_the_consent_back(story, transaction):
    connection = transaction.connection
    user_id = story.session["user"]["id"]
    consents.delete(connection, consents.find(connection, story.client.client_id, user_id))
    refresh_tokens.revoke_of_user(connection, user_id, story.client.client_id)


@pytest.mark.parametrize(
    ("issue", "take_back"),
    [
        (Story.refresh, revoking_the_family),
        (Story.refresh, taking_the_consent_back),
        (Story.redeem, taking_the_consent_back),
        (Story.redeem, ending_the_session),
    ],
)
def test_what_is_being_taken_back_is_not_issued(story, issue, take_back):
    with ThreadPoolExecutor(1) as other:
        with story.database.begin() as transaction:
            take_back(story, transaction)
            issuing = other.submit(story.client.token_request, issue(story))
            wait_until_blocked(story.database, issuing)
        answer = issuing.result()

    assert (answer.status_int, answer.json["error"]) == (400, "invalid_grant")


def declining_email(story, transaction):
    asked = _authorization_request(story)
    person = story.session["user"]["id"]
    consent.remember(transaction, asked, person, asked.without(["email"], {}))


def _authorization_request(story):
    sent = story.client.request().items()
    return server.validate_authorization_request(
        OAuthRequest.read(AUTHORIZATION, story.context(), None, sent)
    )


@pytest.mark.attack("TOKENS-declined-scope")
def test_a_refresh_while_the_person_declines_brings_what_is_left(story):
    with ThreadPoolExecutor(1) as other:
        with story.database.begin() as transaction:
            declining_email(story, transaction)
            issuing = other.submit(story.client.token_request, story.refresh())
            wait_until_blocked(story.database, issuing)
        answer = issuing.result()

    assert answer.status_int == 200
    assert answer.json["scope"] == "openid profile offline_access"
    assert "email" not in story.client.userinfo(answer.json["access_token"]).json
    assert story.client.refresh(answer.json["refresh_token"]).status_int == 200


@pytest.mark.attack("TOKENS-declined-scope")
def test_a_code_redeemed_while_the_person_declines_is_refused(story):
    with ThreadPoolExecutor(1) as other:
        with story.database.begin() as transaction:
            declining_email(story, transaction)
            issuing = other.submit(story.client.token_request, story.redeem())
            wait_until_blocked(story.database, issuing)
        answer = issuing.result()

    assert (answer.status_int, answer.json["error"]) == (400, "invalid_grant")


@pytest.mark.attack("TOKENS-declined-scope")
@pytest.mark.parametrize("issue", [Story.refresh, Story.redeem])
def test_an_access_token_that_is_being_issued_is_found_when_the_person_declines(story, issue):
    def decline():
        with story.database.begin() as transaction:
            declining_email(story, transaction)

    with ThreadPoolExecutor(1) as other:
        with story.being_issued(issue(story)) as answer:
            declining = other.submit(decline)
            wait_until_blocked(story.database, declining)
        declining.result()

    issued = json.loads(answer.body)
    assert story.client.userinfo(issued["access_token"]).status_int == 401
    assert story.client.refresh(issued["refresh_token"]).status_int == 200


def test_a_refresh_during_a_sign_out_goes_on_without_the_session(story):
    with ThreadPoolExecutor(1) as other:
        with story.database.begin() as transaction:
            ending_the_session(story, transaction)
            issuing = other.submit(story.client.token_request, story.refresh())
            wait_until_blocked(story.database, issuing)
        answer = issuing.result()

    assert answer.status_int == 200
    assert story.client.userinfo(answer.json["access_token"]).status_int == 200
