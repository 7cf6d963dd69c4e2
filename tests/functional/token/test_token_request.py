"""Token requests with a code: what the code is bound to, and what every answer looks like."""

import string
from pathlib import Path

import pytest
from sqlalchemy import select
from webtest.forms import Upload

from authservice.models import metadata as tables
from tests.helpers.relying_party import TOKEN

PRINTABLE = set(string.ascii_letters + string.digits + string.punctuation + " ") - set('"\\')


def refused(answer, error, status=400):
    assert answer.status_int == status
    assert answer.content_type == "application/json"
    assert answer.headers["Cache-Control"] == "no-store"
    assert set(answer.json) == {"error", "error_description"}
    assert answer.json["error"] == error
    assert set(answer.json["error_description"]) <= PRINTABLE
    return answer.json["error_description"]


@pytest.fixture
def code(browser, relying_party):
    return relying_party.sign_in_with(browser)


@pytest.mark.requirement("RFC6749-5.1-1", "RFC6749-5.1-2", "RFC6749-5.1-3", "RFC6749-5.1-4")
@pytest.mark.requirement("RFC6749-5.1-5", "RFC6749-10.10-1", "RFC6750-4-1", "RFC6750-5.3-4")
@pytest.mark.requirement("OAUTH21-3.2.3-1", "OIDC-CORE-3.1.3.3-2", "OIDC-CORE-3.1.3.3-3")
def test_the_answer_is_what_the_standards_ask_for(relying_party, code):
    answer = relying_party.redeem(code)

    assert answer.content_type == "application/json"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Pragma"] == "no-cache"
    assert "Set-Cookie" not in answer.headers
    tokens = answer.json
    assert tokens["token_type"] == "Bearer"
    assert tokens["expires_in"] == 3600
    assert set(tokens["scope"].split()) == {"openid", "profile", "email", "offline_access"}
    for name, length in (("access_token", 43), ("refresh_token", 107)):
        assert len(tokens[name]) == length
        assert tokens[name].isalnum()


@pytest.mark.attack("RFC6819-4.3.2", "RFC6819-4.4.1.2", "RFC6819-4.5.2")
@pytest.mark.requirement("RFC6749-10.4-1")
def test_no_code_token_or_secret_is_stored_in_clear(relying_party, code, database):
    tokens = relying_party.redeem(code).json

    stored = "".join(
        str(database.reader.execute(select(table)).all()) for table in tables.sorted_tables
    )
    if database.is_sqlite:
        # What was deleted or replaced is still in the file.
        for suffix in ("", "-wal"):
            stored += Path(f"{database.url.database}{suffix}").read_text("latin-1")

    assert relying_party.client_id in stored
    for secret in (code, tokens["access_token"], tokens["refresh_token"]):
        assert secret not in stored
    assert relying_party.client_secret not in stored


@pytest.mark.requirement("OIDC-CORE-3.1.2.1-2", "OIDC-CORE-3.1.3.2-4")
def test_without_openid_it_is_plain_oauth(browser, relying_party):
    tokens = relying_party.redeem(relying_party.sign_in_with(browser, scope="email")).json

    assert set(tokens) == {"access_token", "token_type", "expires_in", "scope"}


@pytest.mark.requirement("RFC6749-3.3-2", "RFC6749-3.3-3", "OAUTH21-3.2.2-1")
def test_an_omitted_scope_means_openid(browser, relying_party):
    tokens = relying_party.redeem(relying_party.sign_in_with(browser, scope=None)).json

    assert tokens["scope"] == "openid"
    assert set(tokens) == {"access_token", "id_token", "token_type", "expires_in", "scope"}


@pytest.mark.requirement("RFC6749-3.3-1")
@pytest.mark.parametrize("scope", ["email openid", "profile email openid", "openid email openid"])
def test_the_scope_of_the_answer_is_the_set_that_was_asked_for(browser, relying_party, scope):
    tokens = relying_party.redeem(relying_party.sign_in_with(browser, scope=scope)).json

    assert sorted(tokens["scope"].split()) == sorted(set(scope.split()))


@pytest.mark.requirement("RFC6749-3.2-3")
def test_other_parameters_change_nothing(subtests, browser, relying_party):
    for extra in (
        {"scope": "openid"},
        {"scope": "unknown"},
        {"response_type": "code"},
        {"user": "evil", "client": "evil", "scopes": "evil", "user_id": "evil", "sub": "evil"},
        {"state": "unknown", "nonce": "x", "extra": ""},
        {"client_secret": "", "refresh_token": ""},
    ):
        with subtests.test(extra=extra):
            code = relying_party.sign_in_with(browser)
            tokens = relying_party.redeem(code, **extra).json

            assert set(tokens["scope"].split()) == {"openid", "profile", "email", "offline_access"}
            assert "id_token" in tokens
            assert relying_party.userinfo(tokens["access_token"]).json["sub"] == "local-developer"


@pytest.mark.attack("RFC9700-4.7", "RFC9700-4.8", "OWASP-OAUTH-3")
@pytest.mark.requirement("RFC6749-4.1.2-4", "RFC6749-4.1.3-3", "RFC6749-4.1.3-4", "RFC6749-5.2-1")
@pytest.mark.requirement("RFC6749-5.2-5", "RFC6749-5.2-6", "RFC6749-5.2-8", "RFC6749-10.6-1")
@pytest.mark.requirement("RFC7636-4.1-1", "RFC7636-4.6-2", "RFC7636-4.6-3", "RFC9700-2.1.1-3")
@pytest.mark.requirement("RFC9700-2.4-1", "RFC9700-4.8.2-1", "OIDC-CORE-3.1.3.2-2")
@pytest.mark.requirement("OIDC-CORE-3.1.3.2-3", "OIDC-CORE-3.1.3.4-1")
def test_what_is_wrong_is_named(subtests, browser, relying_party):
    for changes, error, named in (
        ({"grant_type": None}, "invalid_request", "grant_type is missing"),
        ({"grant_type": ""}, "invalid_request", "grant_type is missing"),
        ({"grant_type": "password"}, "unsupported_grant_type", "authorization_code or refresh"),
        ({"grant_type": "client_credentials"}, "unauthorized_client", "authorization_code"),
        ({"grant_type": "implicit"}, "unsupported_grant_type", "authorization_code"),
        (
            {"grant_type": "urn:ietf:params:oauth:grant-type:device_code"},
            "unsupported_grant_type",
            "authorization_code",
        ),
        ({"grant_type": '"\\é\n'}, "unsupported_grant_type", "authorization_code"),
        ({"code": None}, "invalid_request", "code is missing"),
        ({"code": ""}, "invalid_request", "code is missing"),
        ({"code": "unknown"}, "invalid_grant", "code is unknown"),
        ({"code": "x" * 20000}, "invalid_grant", "code is unknown"),
        ({"code": "ü🙂"}, "invalid_grant", "code is unknown"),
        ({"redirect_uri": None}, "invalid_request", "redirect_uri is missing"),
        ({"redirect_uri": "https://app.example.com/"}, "invalid_grant", "redirect_uri differs"),
        ({"code_verifier": None}, "invalid_grant", "code_verifier"),
        ({"code_verifier": "short"}, "invalid_grant", "43 to 128"),
        ({"code_verifier": "é" * 43}, "invalid_grant", "43 to 128"),
        ({"code_verifier": "a" * 129}, "invalid_grant", "43 to 128"),
        ({"code_verifier": "a" * 43}, "invalid_grant", "does not belong"),
    ):
        with subtests.test(changes=changes, error=error, named=named):
            code = relying_party.sign_in_with(browser)
            answer = relying_party.redeem(**{"code": code} | changes)

            assert named in refused(answer, error)


@pytest.mark.requirement("RFC6749-3.2-4", "RFC6749-5.2-4")
def test_a_repeated_parameter_is_an_invalid_request(subtests, browser, relying_party):
    for name in ("grant_type", "code", "redirect_uri", "code_verifier", "scope"):
        with subtests.test(name=name):
            code = relying_party.sign_in_with(browser)
            form = {
                "grant_type": "authorization_code",
                "code": code,
                "redirect_uri": relying_party.redirect_uri,
                "code_verifier": relying_party.verifier,
                "scope": "openid",
            }
            pairs = [*form.items(), (name, form[name])]

            answer = relying_party.http.post(
                TOKEN, pairs, headers=relying_party.credentials(), expect_errors=True
            )

            assert name in refused(answer, "invalid_request")
            assert relying_party.redeem(code).status_int == 200


@pytest.mark.requirement("OAUTH21-3.2-1")
def test_the_query_is_not_read(relying_party, code):
    query = f"grant_type=authorization_code&code={code}"

    answer = relying_party.http.post(
        f"{TOKEN}?{query}", {"x": "y"}, headers=relying_party.credentials(), expect_errors=True
    )

    assert "grant_type is missing" in refused(answer, "invalid_request")


@pytest.mark.requirement("RFC6750-5.3-4")
def test_cookies_are_neither_needed_nor_looked_at(browser, relying_party, code):
    relying_party.http = browser

    answer = relying_party.redeem(code)

    assert answer.status_int == 200
    assert "Set-Cookie" not in answer.headers


def test_a_body_that_is_no_form_is_refused(relying_party):
    answers = [
        relying_party.http.post_json(
            TOKEN, {"grant_type": "x"}, headers=relying_party.credentials(), expect_errors=True
        ),
        relying_party.http.post(
            TOKEN,
            {"grant_type": "x", "file": Upload("a.txt", b"x")},
            headers=relying_party.credentials(),
            expect_errors=True,
        ),
    ]

    for answer in answers:
        assert "application/x-www-form-urlencoded" in refused(answer, "invalid_request")


@pytest.mark.requirement("RFC6749-3.2-1", "OAUTH21-3.2-1")
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH"])
def test_the_token_endpoint_takes_post_only(relying_party, method):
    answer = relying_party.http.request(TOKEN, method=method, expect_errors=True)

    assert answer.status_int == 405
    assert answer.headers["Allow"] == "POST, OPTIONS"
    assert answer.headers["Cache-Control"] == "no-store"
