"""The scope of a refresh: narrower for one access token, never wider, the grant unchanged."""

import pytest


@pytest.fixture
def tokens(browser, relying_party):
    return relying_party.redeem(relying_party.sign_in_with(browser)).json


@pytest.mark.attack("RFC6819-4.6.5")
@pytest.mark.requirement("RFC6749-3.3-2", "RFC6749-6-5", "RFC6749-6-6", "RFC9700-2.3-1")
def test_narrowing_holds_for_that_access_token_only(relying_party, tokens):
    narrow = relying_party.refresh(tokens["refresh_token"], scope="openid email").json

    assert set(narrow["scope"].split()) == {"openid", "email"}
    assert "name" not in relying_party.userinfo(narrow["access_token"]).json
    assert "email" in relying_party.userinfo(narrow["access_token"]).json
    wide = relying_party.refresh(narrow["refresh_token"]).json
    assert wide["scope"] == tokens["scope"]
    assert "name" in relying_party.userinfo(wide["access_token"]).json


def test_narrowing_away_openid_gives_no_id_token(relying_party, tokens):
    narrow = relying_party.refresh(tokens["refresh_token"], scope="email").json

    assert "id_token" not in narrow
    assert "id_token" in relying_party.refresh(narrow["refresh_token"]).json


def test_the_granted_scope_may_be_sent_along(relying_party, tokens):
    answer = relying_party.refresh(tokens["refresh_token"], scope=tokens["scope"])

    assert answer.json["scope"].split() == tokens["scope"].split()


@pytest.mark.attack("OWASP-OAUTH-8")
@pytest.mark.requirement("RFC6749-5.2-7", "RFC6749-6-4", "RFC9700-4.14.2-3", "OAUTH21-4.3.1-2")
@pytest.mark.parametrize("scope", ["openid profile", "unknown groups"])
def test_more_than_was_granted_is_an_invalid_scope_and_costs_nothing(browser, relying_party, scope):
    code = relying_party.sign_in_with(browser, scope="openid email offline_access")
    tokens = relying_party.redeem(code).json

    answer = relying_party.refresh(tokens["refresh_token"], scope=scope)

    assert answer.json["error"] == "invalid_scope"
    assert "openid email offline_access" in answer.json["error_description"]
    assert relying_party.refresh(tokens["refresh_token"]).status_int == 200
