"""The authorization code flow, from the first request to the tokens, and what a code is worth."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from authservice.models import verification
from tests.helpers.browser import ORIGIN
from tests.helpers.relying_party import RelyingParty


def refused(answer):
    assert answer.status_int == 400
    assert answer.json["error"] == "invalid_grant"
    return answer.json["error_description"]


@pytest.fixture
def code(browser, relying_party):
    return relying_party.sign_in_with(browser)


@pytest.mark.story("oauth2.authorize", "oauth2.token", "sign_in", "consent", "callback")
@pytest.mark.requirement("RFC6749-4.1.1-2", "RFC6749-4.1.4-1", "RFC6749-5.1-1", "RFC8252-8.1-1")
@pytest.mark.requirement("OIDC-CORE-3.1.3.3-1")
def test_a_person_signs_in_allows_and_the_client_gets_tokens(browser, relying_party):
    code = relying_party.sign_in_with(browser)

    answer = relying_party.redeem(code)

    assert answer.status_int == 200
    assert set(answer.json) == {
        "access_token",
        "refresh_token",
        "id_token",
        "token_type",
        "expires_in",
        "scope",
    }
    claims = relying_party.userinfo(answer.json["access_token"]).json
    assert claims["sub"] == "local-developer"


@pytest.mark.requirement("RFC6749-10.6-1", "RFC7636-4.6-2", "RFC7636-4.6-3", "RFC7636-7.1-1")
@pytest.mark.requirement("RFC9700-2.1.1-3", "RFC9700-4.5.3-1", "OAUTH21-4.1.1-1")
@pytest.mark.parametrize(
    "changes",
    [
        {"code_verifier": "a" * 43},
        {"code_verifier": None},
        {"code_verifier": "short"},
        {"redirect_uri": "https://app.example.com/"},
    ],
)
def test_a_failed_attempt_burns_the_code(relying_party, code, changes):
    refused(relying_party.redeem(code, **changes))

    refused(relying_party.redeem(code))


@pytest.mark.attack("RFC6819-4.4.1.7")
@pytest.mark.requirement("RFC6749-4.1.3-4")
def test_a_request_that_names_no_redirect_uri_leaves_the_code_alone(relying_party, code):
    answer = relying_party.redeem(code, redirect_uri=None)

    assert answer.json["error"] == "invalid_request"

    assert relying_party.redeem(code).status_int == 200


@pytest.mark.attack("RFC9700-4.5")
@pytest.mark.requirement("RFC7636-4.4-1", "RFC7636-4.6-1", "RFC9700-2.1.1-5", "OAUTH21-4.1.3-1")
def test_the_challenge_itself_is_no_verifier(relying_party, code):
    challenge = relying_party.request()["code_challenge"]

    refused(relying_party.redeem(code, code_verifier=challenge))


@pytest.mark.attack("RFC9700-4.5", "RFC6819-4.4.1.7", "RFC6819-4.4.1.13")
@pytest.mark.requirement("RFC6749-4.1.2-4", "RFC6749-4.1.3-2", "RFC7636-4.4-1", "RFC9700-4.5.3-1")
@pytest.mark.requirement("OIDC-CORE-3.1.3.2-2")
def test_a_code_is_worth_nothing_to_another_client_and_stays_with_its_own(
    app, relying_party, code, database
):
    other = RelyingParty.registered(app, database)

    refused(other.redeem(code, code_verifier=relying_party.verifier))

    assert relying_party.redeem(code).status_int == 200


@pytest.mark.attack("RFC6819-4.4.1.1", "RFC9700-4.3.1", "TOKENS-replay-code")
@pytest.mark.requirement("RFC6749-4.1.2-2", "RFC6749-4.1.2-3", "RFC6749-10.5-1", "RFC9700-4.2.4-2")
@pytest.mark.requirement("RFC9700-4.2.4-3", "OAUTH21-4.1.2-1", "OAUTH21-4.1.2-2")
def test_a_second_use_revokes_everything_made_from_the_first(relying_party, code):
    tokens = relying_party.redeem(code).json
    newer = relying_party.refresh(tokens["refresh_token"]).json

    refused(relying_party.redeem(code))

    for token in (tokens["access_token"], newer["access_token"]):
        assert relying_party.userinfo(token).status_int == 401
    for token in (tokens["refresh_token"], newer["refresh_token"]):
        refused(relying_party.refresh(token))


def test_a_second_use_revokes_an_access_token_that_came_alone(browser, relying_party):
    code = relying_party.sign_in_with(browser, scope="openid")
    tokens = relying_party.redeem(code).json

    refused(relying_party.redeem(code))

    assert "refresh_token" not in tokens
    assert relying_party.userinfo(tokens["access_token"]).status_int == 401


@pytest.mark.attack("TOKENS-replay-code")
@pytest.mark.requirement("RFC6749-4.1.2-3")
def test_a_second_use_revokes_whatever_else_is_wrong_with_it(relying_party, code, turnable_clock):
    tokens = relying_party.redeem(code).json
    turnable_clock.advance(seconds=1800)

    refused(relying_party.redeem(code, code_verifier="a" * 43))

    assert relying_party.userinfo(tokens["access_token"]).status_int == 401


def test_a_second_use_leaves_the_tokens_of_other_codes_alone(browser, relying_party, code):
    relying_party.redeem(code)
    other = relying_party.redeem(relying_party.sign_in_with(browser)).json

    relying_party.redeem(code)

    assert relying_party.userinfo(other["access_token"]).status_int == 200
    assert relying_party.refresh(other["refresh_token"]).status_int == 200


@pytest.mark.attack("RFC6819-4.4.1.13")
@pytest.mark.requirement("OAUTH21-4.1.2-2")
def test_a_second_use_by_another_client_revokes_nothing(app, relying_party, code, database):
    tokens = relying_party.redeem(code).json
    other = RelyingParty.registered(app, database)

    refused(other.redeem(code, code_verifier=relying_party.verifier))

    assert relying_party.userinfo(tokens["access_token"]).status_int == 200
    assert relying_party.refresh(tokens["refresh_token"]).status_int == 200


@pytest.mark.attack("RFC6819-4.4.1.1")
@pytest.mark.requirement("RFC6749-4.1.2-1", "RFC6749-4.1.3-3", "RFC6749-10.5-1")
@pytest.mark.parametrize(("seconds", "status"), [(59, 200), (60, 400)])
def test_a_code_lives_for_a_minute(relying_party, turnable_clock, browser, seconds, status):
    code = relying_party.sign_in_with(browser)
    turnable_clock.advance(seconds=seconds)

    assert relying_party.redeem(code).status_int == status


def test_a_code_ends_with_its_session(browser, relying_party, code):
    browser.post("/api/auth/sign-out", headers={"Origin": ORIGIN})

    assert "signed out" in refused(relying_party.redeem(code))


@pytest.mark.parametrize(
    ("scope", "kept"),
    [("openid offline_access", {"days": 90, "hours": 1}), ("openid", {"hours": 1})],
)
def test_a_spent_code_is_remembered_as_long_as_its_tokens_may_live(
    browser, relying_party, database, turnable_clock, scope, kept
):
    relying_party.redeem(relying_party.sign_in_with(browser, scope=scope))

    spent = database.reader.scalars(
        select(verification.c.expires_at).where(verification.c.updated_at.is_not(None))
    )
    assert turnable_clock.moment + timedelta(**kept) in spent.all()
