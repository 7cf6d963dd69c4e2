"""Refreshing: rotated at each use, kind to an honest retry, ended by a replay."""

from functools import partial

import pytest

from authservice.services.tokens import refresh_tokens
from tests.helpers.browser import ORIGIN
from tests.helpers.relying_party import RelyingParty


@pytest.fixture
def grant(turnable_clock, browser, relying_party):
    """Give the client tokens of a family of their own."""
    return lambda: relying_party.redeem(relying_party.sign_in_with(browser)).json


@pytest.fixture
def tokens(grant):
    return grant()


def refused(answer):
    assert answer.status_int == 400, answer
    assert answer.json["error"] == "invalid_grant"
    assert answer.headers["Cache-Control"] == "no-store"
    return True


def alive(client, access_token):
    return client.userinfo(access_token).status_int == 200


@pytest.fixture
def find(app, database):
    """Look a token up, whatever its state."""
    return partial(refresh_tokens.find, database.reader, app.registry.components.secret)


@pytest.mark.story("oauth2.token")
@pytest.mark.requirement("RFC6749-5.1-4", "RFC6749-6-5", "RFC6749-6-7", "RFC9700-2.2.2-1")
def test_each_use_gives_a_new_token_and_the_whole_answer(relying_party, tokens):
    answer = relying_party.refresh(tokens["refresh_token"])

    assert answer.status_int == 200
    assert answer.headers["Cache-Control"] == "no-store"
    assert set(answer.json) == set(tokens)
    assert answer.json["scope"] == tokens["scope"]
    assert answer.json["refresh_token"] != tokens["refresh_token"]
    assert answer.json["access_token"] != tokens["access_token"]
    assert alive(relying_party, answer.json["access_token"])
    assert alive(relying_party, tokens["access_token"])


@pytest.mark.requirement("OIDC-CORE-11-1")
def test_only_offline_access_brings_one(browser, relying_party):
    code = relying_party.sign_in_with(browser, scope="openid profile email")

    assert "refresh_token" not in relying_party.redeem(code).json


@pytest.mark.requirement("RFC6749-3.2.1-2", "RFC9700-2.2.2-1", "OAUTH21-4.3.1-1")
def test_a_public_client_refreshes_by_naming_itself(app, browser, database):
    public = RelyingParty.registered(app, database, public=True)
    tokens = public.redeem(public.sign_in_with(browser)).json

    assert public.refresh(tokens["refresh_token"]).status_int == 200


@pytest.mark.story("oauth2.token")
@pytest.mark.attack("FAILURES-32")
def test_an_honest_retry_gets_the_same_successor_and_fresh_other_tokens(
    subtests, relying_party, grant, turnable_clock, find
):
    for seconds in (0, 9, 10):
        with subtests.test(seconds=seconds):
            tokens = grant()
            first = relying_party.refresh(tokens["refresh_token"]).json
            expiry = find(first["refresh_token"]).family.expires_at
            turnable_clock.advance(seconds=seconds)

            second = relying_party.refresh(tokens["refresh_token"])

            assert second.status_int == 200
            assert second.json["refresh_token"] == first["refresh_token"]
            assert second.json["access_token"] != first["access_token"]
            assert "id_token" in second.json
            assert find(first["refresh_token"]).family.expires_at == expiry
            assert alive(relying_party, second.json["access_token"])


def test_the_retry_may_reach_another_process(make_app, relying_party, tokens):
    first = relying_party.refresh(tokens["refresh_token"]).json
    elsewhere = RelyingParty(
        make_app(),
        relying_party.client_id,
        relying_party.client_secret,
        relying_party.redirect_uri,
    )

    second = elsewhere.refresh(tokens["refresh_token"]).json

    assert second["refresh_token"] == first["refresh_token"]


@pytest.mark.attack("FAILURES-32")
def test_the_retry_works_also_when_the_successor_was_used_meanwhile(relying_party, tokens):
    first = relying_party.refresh(tokens["refresh_token"]).json
    newest = relying_party.refresh(first["refresh_token"]).json

    late = relying_party.refresh(tokens["refresh_token"]).json

    assert late["refresh_token"] == first["refresh_token"]
    assert alive(relying_party, late["access_token"])
    assert relying_party.refresh(newest["refresh_token"]).status_int == 200


@pytest.mark.story("oauth2.token")
@pytest.mark.attack("RFC9700-4.14", "RFC6819-4.1.2", "OWASP-OAUTH-7", "TOKENS-replay-refresh")
@pytest.mark.requirement("RFC6749-10.4-3", "RFC9700-4.14.2-1", "RFC9700-4.14.2-2")
@pytest.mark.requirement("OAUTH21-4.3.1-1")
def test_a_replay_after_the_grace_ends_the_family_and_nothing_else(
    browser, relying_party, tokens, turnable_clock
):
    other = relying_party.redeem(relying_party.sign_in_with(browser)).json
    newer = relying_party.refresh(tokens["refresh_token"]).json
    turnable_clock.advance(seconds=10, milliseconds=1)

    assert refused(relying_party.refresh(tokens["refresh_token"]))

    assert refused(relying_party.refresh(newer["refresh_token"]))
    assert not alive(relying_party, newer["access_token"])
    assert not alive(relying_party, tokens["access_token"])
    assert alive(relying_party, other["access_token"])
    assert relying_party.refresh(other["refresh_token"]).status_int == 200


@pytest.mark.attack("RFC6819-4.5.2")
def test_nothing_stored_opens_a_successor_once_the_grace_is_over(
    relying_party, tokens, turnable_clock, find
):
    first = relying_party.refresh(tokens["refresh_token"]).json
    assert find(tokens["refresh_token"]).rotation.successor
    turnable_clock.advance(seconds=11)

    relying_party.refresh(first["refresh_token"])

    assert find(tokens["refresh_token"]).rotation is None


@pytest.mark.attack("RFC6819-4.5.3")
@pytest.mark.requirement("RFC6749-5.2-5", "RFC6749-6-3")
def test_an_unknown_token_is_refused(subtests, relying_party):
    for token in ("unknown", "x" * 20000, "ü", "a b"):
        with subtests.test(token=token):
            assert refused(relying_party.refresh(token))


@pytest.mark.requirement("RFC6749-5.2-4")
def test_a_missing_or_repeated_token_is_an_invalid_request(relying_party, tokens):
    for pairs in ([], [("refresh_token", tokens["refresh_token"])] * 2):
        answer = relying_party.http.post(
            "/api/auth/oauth2/token",
            [("grant_type", "refresh_token"), *pairs],
            headers=relying_party.credentials(),
            expect_errors=True,
        )
        assert answer.json["error"] == "invalid_request"
        assert "refresh_token" in answer.json["error_description"]
    assert relying_party.refresh(tokens["refresh_token"]).status_int == 200


def test_an_access_token_does_not_refresh(relying_party, tokens):
    assert refused(relying_party.refresh(tokens["access_token"]))


@pytest.mark.requirement("RFC6749-6-3", "RFC9700-4.14.2-4")
def test_a_token_lives_for_thirty_days_from_each_use(relying_party, tokens, turnable_clock):
    turnable_clock.advance(days=30, seconds=-1)
    newer = relying_party.refresh(tokens["refresh_token"]).json
    turnable_clock.advance(days=30)

    assert refused(relying_party.refresh(newer["refresh_token"]))


@pytest.mark.requirement("RFC9700-4.14.2-4")
def test_a_family_ends_after_ninety_days_however_often_it_is_used(
    relying_party, tokens, turnable_clock
):
    current = tokens["refresh_token"]
    for _ in range(4):
        turnable_clock.advance(days=22)
        current = relying_party.refresh(current).json["refresh_token"]
    turnable_clock.advance(days=2)

    assert refused(relying_party.refresh(current))


@pytest.mark.requirement("OIDC-CORE-11-3")
def test_an_expired_session_does_not_end_it_either(relying_party, tokens, turnable_clock):
    turnable_clock.advance(days=8)

    newer = relying_party.refresh(tokens["refresh_token"]).json

    assert alive(relying_party, newer["access_token"])


def test_signing_out_ends_the_access_tokens_of_a_refresh_too(browser, relying_party, tokens):
    newer = relying_party.refresh(tokens["refresh_token"]).json
    browser.post("/api/auth/sign-out", headers={"Origin": ORIGIN})

    assert not alive(relying_party, newer["access_token"])


@pytest.mark.requirement("RFC6749-6-3")
def test_a_token_of_a_user_who_is_gone_is_refused(relying_party, tokens, database):
    with database.transaction() as connection:
        connection.exec_driver_sql('DELETE FROM "user"')

    assert refused(relying_party.refresh(tokens["refresh_token"]))
