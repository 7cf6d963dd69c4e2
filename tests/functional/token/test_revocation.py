"""Revocation: clients give their tokens back, and touch no others (RFC 7009)."""

import pytest

from tests.helpers.relying_party import RelyingParty
from tests.helpers.token_states import REVOKE, revoke, revoked


@pytest.fixture
def grant(turnable_clock, browser, relying_party):
    """Give the client tokens of a family of their own."""
    return lambda: relying_party.redeem(relying_party.sign_in_with(browser)).json


@pytest.fixture
def tokens(grant):
    return grant()


@pytest.fixture
def public_client(app, database):
    return RelyingParty.registered(app, database, public=True)


def works(client, access_token):
    return client.userinfo(access_token).status_int == 200


def refreshes(client, refresh_token):
    answer = client.refresh(refresh_token)
    assert answer.status_int == 200 or answer.json["error"] == "invalid_grant"
    return answer.status_int == 200


@pytest.mark.attack("RFC6819-4.1.3")
@pytest.mark.requirement("RFC6750-3.1-2", "RFC7009-2-2", "RFC7009-2.1-5")
def test_an_access_token_goes_alone(relying_party, tokens):
    revoked(relying_party, tokens["access_token"])

    assert not works(relying_party, tokens["access_token"])
    assert refreshes(relying_party, tokens["refresh_token"])


def test_one_access_token_of_a_family_does_not_take_the_next_along(relying_party, tokens):
    newer = relying_party.refresh(tokens["refresh_token"]).json

    revoked(relying_party, tokens["access_token"])

    assert works(relying_party, newer["access_token"])


@pytest.mark.attack("RFC6819-4.1.2")
@pytest.mark.requirement("RFC7009-2-1", "RFC7009-2.1-6")
def test_a_refresh_token_takes_its_family_along(relying_party, tokens):
    newer = relying_party.refresh(tokens["refresh_token"]).json

    revoked(relying_party, newer["refresh_token"])

    assert not refreshes(relying_party, newer["refresh_token"])
    assert not works(relying_party, tokens["access_token"])
    assert not works(relying_party, newer["access_token"])


@pytest.mark.story("oauth2.revoke")
@pytest.mark.requirement("RFC7009-2.1-6")
def test_a_rotated_refresh_token_takes_its_family_along_too(relying_party, tokens):
    newer = relying_party.refresh(tokens["refresh_token"]).json

    revoked(relying_party, tokens["refresh_token"])

    assert not refreshes(relying_party, newer["refresh_token"])
    assert not works(relying_party, newer["access_token"])


def test_revoked_on_purpose_is_refused_inside_the_grace(relying_party, tokens):
    relying_party.refresh(tokens["refresh_token"])

    revoked(relying_party, tokens["refresh_token"])

    assert not refreshes(relying_party, tokens["refresh_token"])


def test_another_family_of_the_same_client_lives_on(browser, relying_party, tokens):
    second = relying_party.redeem(relying_party.sign_in_with(browser)).json

    revoked(relying_party, tokens["refresh_token"])

    assert refreshes(relying_party, second["refresh_token"])
    assert works(relying_party, second["access_token"])


@pytest.mark.requirement("RFC7009-2.1-2")
def test_a_wrong_hint_does_not_save_a_token(subtests, relying_party, grant):
    for kind in ("access_token", "refresh_token"):
        for hint in ("access_token", "refresh_token", "unheard_of"):
            with subtests.test(kind=kind, hint=hint):
                tokens = grant()

                revoked(relying_party, tokens[kind], token_type_hint=hint)

                assert not works(relying_party, tokens["access_token"])
                assert refreshes(relying_party, tokens["refresh_token"]) is (kind == "access_token")


@pytest.mark.requirement("RFC7009-2.2-1")
def test_related_tokens_one_after_the_other_are_both_answered_alike(subtests, relying_party, grant):
    for kinds in (["refresh_token", "access_token"], ["access_token"] * 2):
        with subtests.test(kinds=kinds):
            tokens = grant()

            for kind in kinds:
                revoked(relying_party, tokens[kind])


@pytest.mark.attack("FAILURES-28")
@pytest.mark.requirement("RFC7009-2.2-1", "RFC7009-2.2-2")
def test_an_unknown_token_is_answered_alike(subtests, relying_party):
    for token in ("unknown", "a.b.c", "x" * 5000, "é"):
        with subtests.test(token=token):
            revoked(relying_party, token)


@pytest.mark.attack("TOKENS-substitution")
@pytest.mark.requirement("RFC7009-2.1-4", "RFC7009-2.2-2")
def test_another_client_s_token_is_left_untouched(subtests, relying_party, public_client, grant):
    for kind in ("access_token", "refresh_token"):
        with subtests.test(kind=kind):
            tokens = grant()

            revoked(public_client, tokens[kind])

            assert works(relying_party, tokens["access_token"])
            assert refreshes(relying_party, tokens["refresh_token"])


@pytest.mark.requirement("RFC7009-2.2-1")
def test_an_id_token_or_a_code_is_left_untouched(browser, relying_party, tokens):
    code = relying_party.sign_in_with(browser)

    revoked(relying_party, tokens["id_token"])
    revoked(relying_party, code)

    assert relying_party.redeem(code).status_int == 200


@pytest.mark.requirement("RFC7009-2.1-3")
def test_a_public_client_names_itself(browser, public_client):
    tokens = public_client.redeem(public_client.sign_in_with(browser)).json

    revoked(public_client, tokens["refresh_token"])

    assert not refreshes(public_client, tokens["refresh_token"])


def refused(answer, status, error):
    assert answer.status_int == status
    assert answer.json["error"] == error
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.requirement("RFC7009-2.1-3", "RFC7009-2.2.1-1", "RFC7009-5-1")
def test_a_wrong_secret_revokes_nothing(relying_party, tokens):
    right, relying_party.client_secret = relying_party.client_secret, "wrong"
    answer = revoke(relying_party, tokens["refresh_token"])
    relying_party.client_secret = right

    refused(answer, 401, "invalid_client")
    assert answer.headers["WWW-Authenticate"].startswith("Basic ")
    assert refreshes(relying_party, tokens["refresh_token"])


@pytest.mark.requirement("RFC7009-2.1-3", "RFC7009-5-1", "RFC9700-2.5-1")
def test_a_confidential_client_cannot_just_name_itself(relying_party, tokens):
    form = {"token": tokens["refresh_token"], "client_id": relying_party.client_id}

    refused(relying_party.http.post(REVOKE, form, expect_errors=True), 401, "invalid_client")
    assert refreshes(relying_party, tokens["refresh_token"])


@pytest.mark.requirement("RFC7009-2.1-1", "RFC7009-2.2.1-1")
def test_a_missing_blank_or_repeated_token_is_an_invalid_request(relying_party, tokens):
    headers = relying_party.credentials()
    token = tokens["access_token"]
    for form, description in (
        ([], "token is missing."),
        ([("token", "")], "token is missing."),
        ([("token", token), ("token", token)], "Given more than once: token."),
    ):
        answer = relying_party.http.post(REVOKE, form, headers=headers, expect_errors=True)
        refused(answer, 400, "invalid_request")
        assert answer.json["error_description"] == description

    assert works(relying_party, token)


@pytest.mark.attack("RFC9700-4.3.2")
@pytest.mark.requirement("RFC7009-2.1-1")
def test_a_token_in_the_query_is_not_read(relying_party, tokens):
    address = f"{REVOKE}?token={tokens['access_token']}"

    refused(
        relying_party.http.post(address, headers=relying_party.credentials(), expect_errors=True),
        400,
        "invalid_request",
    )
    assert works(relying_party, tokens["access_token"])


@pytest.mark.requirement("RFC7009-2.3-1")
def test_pages_elsewhere_may_call_it(public_client, browser):
    token = public_client.redeem(public_client.sign_in_with(browser)).json["access_token"]
    form = {"token": token, "client_id": public_client.client_id}

    answer = public_client.http.post(REVOKE, form, headers={"Origin": "https://spa.example.net"})

    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in answer.headers
