"""Userinfo: one access token, in the header or the form body, answered with its claims."""

import pytest

from tests.helpers.relying_party import USERINFO, RelyingParty


@pytest.fixture
def token(turnable_clock, browser, relying_party):
    return relying_party.redeem(relying_party.sign_in_with(browser)).json["access_token"]


@pytest.fixture
def http(relying_party):
    return relying_party.http


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def answered(response):
    assert response.status_int == 200
    assert response.content_type == "application/json"
    assert response.headers["Cache-Control"] == "no-store"
    assert "Set-Cookie" not in response.headers
    assert response.json["sub"] == "local-developer"
    return response.json


def refused(response, status, error):
    """Check a refusal and return its challenge (RFC 6750, section 3)."""
    assert response.status_int == status
    assert response.headers["Cache-Control"] == "no-store"
    challenge = response.headers["WWW-Authenticate"]
    assert challenge.startswith(f'Bearer error="{error}", error_description="')
    assert response.json["error"] == error
    assert f'error_description="{response.json["error_description"]}"' in challenge
    return challenge


@pytest.mark.requirement("RFC6750-2.1-1", "RFC6750-2.2-1", "OAUTH21-5.1.1-1", "OAUTH21-5.1.2-1")
@pytest.mark.requirement("OIDC-CORE-5.3-1", "OIDC-CORE-5.3-2", "OIDC-CORE-5.3.2-3")
def test_the_token_may_come_in_the_header_or_in_the_form(http, token):
    by_get = answered(http.get(USERINFO, headers=bearer(token)))
    by_post = answered(http.post(USERINFO, headers=bearer(token)))
    by_form = answered(http.post(USERINFO, {"access_token": token}))
    answered(http.post(USERINFO, {"access_token": ""}, headers=bearer(token)))

    assert by_get == by_post == by_form


@pytest.mark.requirement("OAUTH21-5.1.1-1")
@pytest.mark.parametrize("scheme", ["bearer", "BEARER", "Bearer "])
def test_the_scheme_is_known_in_any_case(http, token, scheme):
    answered(http.get(USERINFO, headers={"Authorization": f"{scheme} {token}"}))


@pytest.mark.story("oauth2.userinfo")
@pytest.mark.requirement("OIDC-CORE-5.3.2-1", "OIDC-CORE-5.4-1", "OIDC-CORE-5.4-2")
@pytest.mark.requirement("OIDC-CORE-5.4-4")
def test_it_tells_what_the_scopes_allow(subtests, browser, relying_party):
    for scope, claims in (
        ("openid", {"sub"}),
        ("openid email", {"sub", "email", "email_verified"}),
        (
            "openid profile",
            {
                "sub",
                "name",
                "given_name",
                "family_name",
                "preferred_username",
                "picture",
                "updated_at",
            },
        ),
    ):
        with subtests.test(scope=scope, claims=claims):
            tokens = relying_party.redeem(relying_party.sign_in_with(browser, scope=scope)).json

            assert set(answered(relying_party.userinfo(tokens["access_token"]))) == claims


@pytest.mark.requirement("RFC6750-3-1", "RFC6750-3-2", "RFC6750-3-4")
def test_without_a_token_the_challenge_says_nothing_more(http):
    for answer in (
        http.get(USERINFO, expect_errors=True),
        http.post(USERINFO, expect_errors=True),
        http.post(USERINFO, {"x": "y"}, expect_errors=True),
    ):
        assert answer.status_int == 401
        assert answer.headers["WWW-Authenticate"] == 'Bearer realm="authservice"'
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.body == b""
        assert "Content-Type" not in answer.headers


@pytest.mark.attack("RFC9700-4.3.2")
@pytest.mark.requirement("RFC6750-2.3-1", "RFC9700-4.3.2-1", "OAUTH21-5.1-1")
def test_a_token_in_the_query_is_not_read(http, token):
    answer = http.get(USERINFO, {"access_token": token}, expect_errors=True)

    assert answer.status_int == 401
    assert answer.headers["WWW-Authenticate"] == 'Bearer realm="authservice"'
    posted = http.post(f"{USERINFO}?access_token={token}", expect_errors=True)
    assert posted.status_int == 401


@pytest.mark.requirement("OAUTH21-5.1-1")
def test_the_query_beside_a_header_is_not_looked_at(http, token):
    answered(http.get(USERINFO, {"access_token": "junk"}, headers=bearer(token)))


@pytest.mark.requirement("RFC6750-2-1", "RFC6750-3.1-1")
def test_two_tokens_are_an_invalid_request_even_when_they_agree(http, token):
    both = http.post(USERINFO, {"access_token": token}, headers=bearer(token), expect_errors=True)
    twice = http.post(
        USERINFO, [("access_token", token), ("access_token", token)], expect_errors=True
    )

    other = http.post(
        USERINFO, {"access_token": token}, headers={"Authorization": "Basic a"}, expect_errors=True
    )

    for answer in (both, twice, other):
        refused(answer, 400, "invalid_request")


@pytest.mark.requirement("RFC6750-3.1-1")
@pytest.mark.parametrize("header", ["Bearer", "Bearer ", "Bearer a b", "bearer  a  b "])
def test_a_bearer_header_without_one_token_is_an_invalid_request(http, header):
    answer = http.get(USERINFO, headers={"Authorization": header}, expect_errors=True)

    refused(answer, 400, "invalid_request")


@pytest.mark.requirement("RFC6750-3-1")
def test_another_scheme_is_as_good_as_no_token(subtests, http):
    for header in ("Basic YTpi", "Bearerabc", "junk", "", "DPoP abc", "\xff"):
        with subtests.test(header=header):
            answer = http.get(USERINFO, headers={"Authorization": header}, expect_errors=True)

            assert answer.status_int == 401
            assert answer.headers["WWW-Authenticate"] == 'Bearer realm="authservice"'


@pytest.mark.attack("FAILURES-28")
@pytest.mark.requirement("RFC6750-3-1", "RFC6750-3-3", "RFC6750-3.1-2", "OIDC-CORE-5.3.3-1")
def test_a_token_that_is_none_is_an_invalid_token(subtests, http):
    for junk in ("unknown", " ", "a b", "x" * 20000, "a.b.c", "é", "%00", '"\\', "\u1234"):
        with subtests.test(junk=junk):
            challenge = refused(
                http.post(USERINFO, {"access_token": junk}, expect_errors=True),
                401,
                "invalid_token",
            )

            assert "expired or revoked" in challenge


@pytest.mark.attack("RFC9700-4.10", "RFC6819-4.1.3")
@pytest.mark.requirement("RFC6749-5.1-3", "RFC6750-3.1-2", "RFC6750-5.3-2", "OAUTH21-5.2-1")
def test_a_token_expires_after_an_hour(http, token, turnable_clock):
    turnable_clock.advance(seconds=3599)
    answered(http.get(USERINFO, headers=bearer(token)))
    turnable_clock.advance(seconds=1)

    refused(http.get(USERINFO, headers=bearer(token), expect_errors=True), 401, "invalid_token")


def test_an_expired_session_takes_its_tokens_along(make_app, browser, database, turnable_clock):
    app = make_app(lifetimes__session="1000", lifetimes__session_update="100")
    client = RelyingParty.registered(app, database)
    browser = type(browser)(app)
    token = client.redeem(client.sign_in_with(browser)).json["access_token"]
    turnable_clock.advance(seconds=1001)

    refused(client.userinfo(token), 401, "invalid_token")


@pytest.mark.requirement("RFC6750-3-5", "RFC6750-3.1-3", "OAUTH21-5.2-1", "OIDC-CORE-5.3.3-1")
def test_without_openid_the_scope_is_insufficient(browser, relying_party):
    tokens = relying_party.redeem(relying_party.sign_in_with(browser, scope="email")).json

    challenge = refused(relying_party.userinfo(tokens["access_token"]), 403, "insufficient_scope")

    assert challenge.endswith('scope="openid"')


def test_a_refresh_token_or_a_code_is_no_access_token(browser, relying_party):
    code = relying_party.sign_in_with(browser)
    refused(relying_party.userinfo(code), 401, "invalid_token")
    tokens = relying_party.redeem(code).json

    refused(relying_party.userinfo(tokens["refresh_token"]), 401, "invalid_token")


def test_a_session_cookie_is_no_access_token(browser):
    browser.sign_in()

    assert browser.get(USERINFO, expect_errors=True).status_int == 401


def test_claims_are_those_of_the_user_now(http, token, database):
    with database.transaction() as connection:
        connection.exec_driver_sql("UPDATE \"user\" SET name = 'Ada King Lovelace'")

    claims = answered(http.get(USERINFO, headers=bearer(token)))

    assert (claims["given_name"], claims["family_name"]) == ("Ada King", "Lovelace")
