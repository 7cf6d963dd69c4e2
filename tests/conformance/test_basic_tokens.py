"""Basic OP and Form Post OP: codes that come twice, and refresh tokens."""

import secrets

import pytest

from tests.conformance import checks
from tests.conformance.suite import CALLBACK

SCOPE = "openid offline_access"


@pytest.mark.attack("TOKENS-replay-code")
@pytest.mark.requirement("OIDC-CORE-3.1.3.2-2")
def test_oidcc_codereuse(suite):
    login = suite.login()

    checks.token_error(suite.redeem(login.code), "invalid_grant")


def test_oidcc_codereuse_30seconds(suite):
    login = suite.login()
    suite.wait(seconds=30)
    access_token = login.tokens["access_token"]
    assert suite.userinfo(access_token).status_int == 200

    checks.token_error(suite.redeem(login.code), "invalid_grant")

    assert 400 <= suite.userinfo(access_token).status_int < 500


def _refreshed(suite, client, login):
    """Refresh the tokens of a flow with every check, and return what it was done with."""
    refresh_token = login.tokens["refresh_token"]
    suite.wait(seconds=1)
    tokens = checks.token_response(suite.refresh(refresh_token, SCOPE, client))
    claims = suite.verified(tokens["id_token"])
    for claim in ("iss", "sub", "aud", "auth_time", "azp"):
        assert claims.get(claim) == login.id_token.get(claim), claim
    assert claims["iat"] > login.id_token["iat"]
    assert claims.get("nonce") in {None, login.request["nonce"]}
    assert tokens["access_token"] != login.tokens["access_token"]
    checks.userinfo(suite.userinfo(tokens["access_token"]), claims["sub"])
    return tokens["refresh_token"]


@pytest.mark.requirement("OIDC-CORE-12.2-1")
def test_oidcc_refresh_token(suite):
    assert "offline_access" in suite.metadata["scopes_supported"]
    assert "refresh_token" in suite.metadata["grant_types_supported"]
    second = suite.register(f"{CALLBACK}?dummy1=lorem&dummy2=ipsum")
    login = suite.login(scope=SCOPE, prompt="consent")
    _refreshed(suite, suite.client, login)

    nonce = f"{secrets.token_hex(20)[:39]}-._~"
    assert len(nonce) == 43
    other = suite.login(second, scope=SCOPE, prompt="consent", nonce=nonce)
    successor = _refreshed(suite, second, other)

    assert other.outcome.pages == ("/consent",)
    checks.token_error(suite.refresh(successor, SCOPE, suite.client), "invalid_grant")
    # Whatever another client tried, the client that it belongs to can still use it.
    assert suite.refresh(successor, SCOPE, second).status_int == 200
