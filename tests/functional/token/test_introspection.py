"""Introspection: a client learns of its own tokens, and of no others (RFC 7662)."""

import pytest
from sqlalchemy import delete

from authservice.models import user
from tests.helpers.browser import ORIGIN
from tests.helpers.published_keys import ISSUER
from tests.helpers.relying_party import RelyingParty
from tests.helpers.token_states import INACTIVE, INTROSPECT, introspect, told


@pytest.fixture
def tokens(turnable_clock, browser, relying_party):
    return relying_party.redeem(relying_party.sign_in_with(browser)).json


@pytest.fixture
def other(app, database):
    return RelyingParty.registered(app, database, name="Other App")


@pytest.mark.story("oauth2.introspect")
@pytest.mark.requirement("RFC7662-2.2-1", "RFC7662-2.2-2", "RFC7662-2.2-4", "RFC7662-4-6")
def test_an_access_token_is_told_of_in_full(browser, relying_party, tokens, turnable_clock):
    now = int(turnable_clock.moment.timestamp())

    assert told(relying_party, tokens["access_token"]) == {
        "active": True,
        "iss": ISSUER,
        "client_id": relying_party.client_id,
        "sub": "local-developer",
        "scope": "openid profile email offline_access",
        "token_type": "Bearer",
        "iat": now,
        "exp": now + 3600,
        "sid": browser.session()["session"]["id"],
    }


@pytest.mark.story("oauth2.introspect")
def test_a_refresh_token_is_told_of_without_a_token_type(relying_party, tokens, turnable_clock):
    now = int(turnable_clock.moment.timestamp())

    assert told(relying_party, tokens["refresh_token"]) == {
        "active": True,
        "iss": ISSUER,
        "client_id": relying_party.client_id,
        "sub": "local-developer",
        "scope": "openid profile email offline_access",
        "iat": now,
        "exp": now + 30 * 24 * 3600,
    }


def test_a_narrowed_access_token_shows_its_own_scope(relying_party, tokens):
    narrowed = relying_party.refresh(tokens["refresh_token"], scope="openid email").json

    assert told(relying_party, narrowed["access_token"])["scope"] == "openid email"
    assert "profile" in told(relying_party, narrowed["refresh_token"])["scope"]


@pytest.mark.requirement("RFC7662-2.1-2")
def test_a_hint_never_hides_a_token(subtests, relying_party, tokens):
    for hint in ("access_token", "refresh_token", "unheard_of"):
        for kind in ("access_token", "refresh_token"):
            with subtests.test(hint=hint, kind=kind):
                assert told(relying_party, tokens[kind], token_type_hint=hint)["active"] is True


@pytest.mark.attack("RFC9700-4.6", "TOKENS-substitution")
@pytest.mark.requirement("RFC7662-2.2-2", "RFC7662-2.2-3", "RFC7662-2.2-5")
@pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
def test_another_client_learns_nothing(other, tokens, kind):
    assert told(other, tokens[kind]) == INACTIVE


@pytest.mark.requirement("RFC7662-2.2-1", "RFC7662-2.2-3", "RFC7662-2.3-2")
@pytest.mark.parametrize("token", ["unknown", "a.b.c", "x" * 5000, "é"])
def test_an_unknown_token_is_inactive(relying_party, token):
    assert told(relying_party, token) == INACTIVE


@pytest.mark.attack("TOKENS-id-token")
def test_an_id_token_and_a_session_token_are_inactive(browser, relying_party, tokens):
    session_token = browser.get("/api/auth/token").json["token"]

    assert told(relying_party, tokens["id_token"]) == INACTIVE
    assert told(relying_party, session_token) == INACTIVE


@pytest.mark.requirement("RFC7662-2.2-3", "RFC7662-2.3-2", "RFC7662-4-1")
@pytest.mark.parametrize(
    ("kind", "seconds"), [("access_token", 3600), ("refresh_token", 30 * 24 * 3600)]
)
def test_an_expired_token_is_inactive(relying_party, tokens, turnable_clock, kind, seconds):
    turnable_clock.advance(seconds=seconds - 1)
    assert told(relying_party, tokens[kind])["active"] is True
    turnable_clock.advance(seconds=1)

    assert told(relying_party, tokens[kind]) == INACTIVE


def test_a_rotated_refresh_token_is_inactive_within_the_grace_too(relying_party, tokens):
    newer = relying_party.refresh(tokens["refresh_token"]).json

    assert told(relying_party, tokens["refresh_token"]) == INACTIVE
    assert told(relying_party, newer["refresh_token"])["active"] is True


@pytest.mark.requirement("RFC7662-4-2")
def test_signing_out_makes_the_access_token_inactive_and_spares_the_refresh_token(
    browser, relying_party, tokens
):
    browser.post("/api/auth/sign-out", headers={"Origin": ORIGIN})

    assert told(relying_party, tokens["access_token"]) == INACTIVE
    assert told(relying_party, tokens["refresh_token"])["active"] is True


def test_a_token_without_a_session_names_none(browser, relying_party, tokens):
    browser.post("/api/auth/sign-out", headers={"Origin": ORIGIN})
    newer = relying_party.refresh(tokens["refresh_token"]).json

    assert "sid" not in told(relying_party, newer["access_token"])


@pytest.mark.attack("FAILURES-9")
def test_a_deleted_person_s_tokens_are_inactive(relying_party, tokens, database):
    with database.transaction() as connection:
        connection.execute(delete(user))

    assert told(relying_party, tokens["access_token"]) == INACTIVE
    assert told(relying_party, tokens["refresh_token"]) == INACTIVE


def refused(answer, status, error):
    assert answer.status_int == status
    assert answer.json["error"] == error
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.requirement("RFC7662-2.1-3", "RFC7662-4-4")
def test_a_public_client_is_refused(app, database, browser):
    client = RelyingParty.registered(app, database, public=True)
    token = client.redeem(client.sign_in_with(browser)).json["access_token"]

    refused(introspect(client, token, client_id=client.client_id), 401, "invalid_client")


@pytest.mark.requirement("RFC7662-2.1-3", "RFC7662-2.3-1")
def test_a_client_is_authenticated_before_anything_else(relying_party, tokens):
    relying_party.client_secret = "wrong"
    answer = introspect(relying_party, tokens["access_token"])

    refused(answer, 401, "invalid_client")
    assert answer.headers["WWW-Authenticate"].startswith("Basic ")
    refused(introspect(relying_party, ""), 401, "invalid_client")


@pytest.mark.requirement("RFC7662-2.1-3", "RFC7662-4-4")
def test_without_credentials_there_is_no_answer(relying_party, tokens):
    answer = relying_party.http.post(
        INTROSPECT, {"token": tokens["access_token"]}, expect_errors=True
    )

    refused(answer, 401, "invalid_client")
    assert answer.headers["WWW-Authenticate"].startswith("Basic ")


def test_a_bearer_token_does_not_authenticate_a_client(relying_party, tokens):
    headers = {"Authorization": f"Bearer {tokens['access_token']}"}
    form = {"token": tokens["access_token"]}

    refused(
        relying_party.http.post(INTROSPECT, form, headers=headers, expect_errors=True),
        401,
        "invalid_client",
    )


@pytest.mark.requirement("RFC7662-2.1-1")
def test_a_missing_blank_or_repeated_token_is_an_invalid_request(relying_party, tokens):
    headers = relying_party.credentials()
    token = tokens["access_token"]
    for form, description in (
        ([], "token is missing."),
        ([("token", "")], "token is missing."),
        ([("token", token), ("token", token)], "Given more than once: token."),
    ):
        answer = relying_party.http.post(INTROSPECT, form, headers=headers, expect_errors=True)
        refused(answer, 400, "invalid_request")
        assert answer.json["error_description"] == description


@pytest.mark.attack("RFC9700-4.3.2")
@pytest.mark.requirement("RFC7662-2.1-1", "RFC7662-4-5")
def test_a_token_in_the_query_is_not_read(relying_party, tokens):
    answer = relying_party.http.post(
        f"{INTROSPECT}?token={tokens['access_token']}",
        headers=relying_party.credentials(),
        expect_errors=True,
    )

    refused(answer, 400, "invalid_request")
