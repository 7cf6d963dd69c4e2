"""Basic OP and Form Post OP: the code flow itself, userinfo, scopes, and client authentication."""

import secrets

import pytest

from tests.conformance import checks

# Claims of the scope profile that the identity provider does not give: each is a warning.
NOT_GIVEN = {
    "middle_name",
    "nickname",
    "profile",
    "website",
    "gender",
    "birthdate",
    "zoneinfo",
    "locale",
}
CLAIMS = {
    "profile": NOT_GIVEN
    | {"name", "given_name", "family_name", "preferred_username", "picture", "updated_at"},
    "email": {"email", "email_verified"},
}


@pytest.mark.requirement("OIDC-CORE-3.1.3.3-1")
def test_oidcc_server(suite):
    login = suite.login()

    assert login.outcome.pages == ("/sign-in", "/consent")
    assert "name" not in login.id_token
    assert set(login.userinfo) == {"sub"}


@pytest.mark.requirement("OIDC-CORE-9-2")
def test_oidcc_server_client_secret_post(suite):
    client = suite.register(auth_method="client_secret_post")

    suite.login(client)


def test_oidcc_alternate_happy_flow(suite):
    request = suite.request(scope="email profile openid")
    reordered = dict(reversed(request.items()))

    login = suite.finish(request, suite.authorize(reordered))

    assert CLAIMS["email"] <= set(login.userinfo)


def test_oidcc_response_type_missing(suite):
    assert suite.refusal(response_type=None) in {"invalid_request", "unsupported_response_type"}


@pytest.mark.requirement("OIDC-CORE-2-7")
def test_oidcc_ensure_request_without_nonce_succeeds_for_code_flow(suite):
    login = suite.login(nonce=None)

    assert "nonce" not in login.id_token


def test_oidcc_ensure_request_with_valid_pkce_succeeds(suite):
    suite.verifier = f"{secrets.token_hex(62)}-._~"
    assert len(suite.verifier) == 128

    suite.login()


@pytest.mark.requirement("OIDC-CORE-5.1-1", "OIDC-CORE-5.3.2-6")
def test_oidcc_userinfo_get(suite):
    login = suite.login(scope="openid profile email")

    assert login.userinfo["sub"] == login.id_token["sub"]
    assert set(login.userinfo) == {"sub"} | CLAIMS["email"] | CLAIMS["profile"] - NOT_GIVEN


@pytest.mark.requirement("OIDC-CORE-5.3-1")
def test_oidcc_userinfo_post_header(suite):
    login = suite.login(scope="openid profile email")
    endpoint = suite.http.path(suite.metadata["userinfo_endpoint"])
    headers = {"Authorization": f"Bearer {login.tokens['access_token']}"}

    answer = suite.http.post(endpoint, headers=headers)

    assert checks.userinfo(answer, login.id_token["sub"]) == login.userinfo


@pytest.mark.requirement("OIDC-CORE-5.3-2")
def test_oidcc_userinfo_post_body(suite):
    login = suite.login(scope="openid profile email")
    endpoint = suite.http.path(suite.metadata["userinfo_endpoint"])

    answer = suite.http.post(endpoint, {"access_token": login.tokens["access_token"]})

    assert checks.userinfo(answer, login.id_token["sub"]) == login.userinfo


@pytest.mark.requirement("OIDC-CORE-5.4-1")
def test_oidcc_scope_profile(suite):
    login = suite.login(scope="openid profile")

    assert "profile" in suite.metadata["scopes_supported"]
    assert CLAIMS["profile"] - set(login.userinfo) == NOT_GIVEN
    assert not CLAIMS["email"] & set(login.userinfo)


@pytest.mark.requirement("OIDC-CORE-5.4-2")
def test_oidcc_scope_email(suite):
    login = suite.login(scope="openid email")

    assert "email" in suite.metadata["scopes_supported"]
    assert CLAIMS["email"] <= set(login.userinfo)
    assert not CLAIMS["email"] & set(login.id_token)


def _skipped_for_want_of(suite, *scopes):
    assert not set(scopes) & set(suite.metadata["scopes_supported"])
    # The suite goes no further; a client that asks all the same is signed in.
    assert suite.login(scope=f"openid {' '.join(scopes)}").userinfo.keys() == {"sub"}


def test_oidcc_scope_address(suite):
    _skipped_for_want_of(suite, "address")


def test_oidcc_scope_phone(suite):
    _skipped_for_want_of(suite, "phone")


@pytest.mark.requirement("OIDC-CORE-5.4-3")
def test_oidcc_scope_all(suite):
    _skipped_for_want_of(suite, "address", "phone")
    login = suite.login(scope="openid profile email")

    assert set(login.userinfo) == {"sub"} | CLAIMS["email"] | CLAIMS["profile"] - NOT_GIVEN


@pytest.mark.requirement("OIDC-DISCOVERY-3-14")
def test_oidcc_claims_essential(suite):
    assert suite.metadata["claims_parameter_supported"] is True

    login = suite.login(claims='{"userinfo":{"name":{"essential":true}}}')

    assert login.userinfo["name"]
    assert "name" not in login.id_token
