"""What the standards ask of codes, tokens and their use, where no other test says it."""

import json

import pytest

from tests.helpers.published_keys import decoded
from tests.helpers.relying_party import USERINFO, RelyingParty


@pytest.mark.requirement("RFC6750-2.2-1")
def test_a_token_in_a_body_that_is_no_form_is_not_read(browser, relying_party):
    tokens = relying_party.redeem(relying_party.sign_in_with(browser)).json
    body = json.dumps({"access_token": tokens["access_token"]})

    for content_type in ("application/json", "text/plain", "multipart/form-data; boundary=x"):
        answer = relying_party.http.post(
            USERINFO, body, content_type=content_type, expect_errors=True
        )
        assert answer.status_int == 400, content_type


@pytest.mark.attack("OWASP-OAUTH-9", "FAILURES-4")
@pytest.mark.requirement("RFC6749-6-1")
def test_a_client_does_not_refresh_without_its_secret(browser, relying_party):
    tokens = relying_party.redeem(relying_party.sign_in_with(browser)).json
    right, relying_party.client_secret = relying_party.client_secret, None

    answer = relying_party.refresh(tokens["refresh_token"])
    relying_party.client_secret = right

    assert answer.status_int == 401
    assert answer.json["error"] == "invalid_client"
    assert relying_party.refresh(tokens["refresh_token"]).status_int == 200


@pytest.mark.attack("RFC6819-4.4.1.3")
@pytest.mark.requirement("RFC6749-10.10-1")
def test_a_code_has_the_length_of_a_secret(browser, relying_party):
    codes = {relying_party.sign_in_with(browser) for _ in range(3)}

    assert len(codes) == 3
    assert all(len(code) == 43 and code.isalnum() for code in codes)


@pytest.mark.requirement("OIDC-CORE-2-10")
def test_the_header_of_an_id_token_names_its_key_and_nothing_else_of_it(browser, relying_party):
    tokens = relying_party.redeem(relying_party.sign_in_with(browser)).json

    header, _ = decoded(tokens["id_token"], relying_party.http)

    assert set(header) == {"alg", "kid", "typ"}


@pytest.mark.attack("RFC9700-4.15")
@pytest.mark.requirement("OIDC-CORE-2-3", "OIDC-CORE-8-1")
def test_the_subject_is_the_same_short_text_for_every_client(app, browser, database):
    subjects = set()
    for name in ("One", "Two"):
        client = RelyingParty.registered(app, database, name=name)
        tokens = client.redeem(client.sign_in_with(browser)).json
        subjects.add(decoded(tokens["id_token"], client.http)[1]["sub"])
        subjects.add(client.userinfo(tokens["access_token"]).json["sub"])

    (subject,) = subjects
    assert subject.isascii()
    assert 0 < len(subject) <= 255
