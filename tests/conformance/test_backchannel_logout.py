"""Back-Channel Logout OP: the client is told of the sign-out, by a token it can check."""

import secrets

import pytest

from tests.conformance import checks
from tests.conformance.suite import ISSUER, POST_LOGOUT
from tests.helpers.logout_receiver import LogoutReceiver

EVENT = "http://schemas.openid.net/event/backchannel-logout"


@pytest.fixture
def receiver():
    opened = LogoutReceiver()
    opened.headers = {"Cache-Control": "no-store"}
    yield opened
    opened.close()


@pytest.mark.requirement("OIDC-BCLOGOUT-2.1-1")
def test_oidcc_backchannel_logout_discovery_endpoint_verification(plain_suite):
    metadata = plain_suite.metadata

    assert metadata["backchannel_logout_supported"] is True
    assert metadata["backchannel_logout_session_supported"] is True
    assert metadata["end_session_endpoint"].startswith("https://")
    checks.endpoints(metadata)


@pytest.mark.requirement("OIDC-BCLOGOUT-2.1-2", "OIDC-BCLOGOUT-2.4-1", "OIDC-BCLOGOUT-2.4-3")
@pytest.mark.requirement("OIDC-BCLOGOUT-2.4-5", "OIDC-BCLOGOUT-2.5-1")
def test_oidcc_backchannel_rp_initiated_logout(plain_suite, receiver):
    suite = plain_suite
    suite.client = suite.register(
        enable_end_session=True,
        post_logout_redirect_uris=[POST_LOGOUT],
        backchannel_logout_uri=receiver.uri,
    )
    login = suite.login(state=secrets.token_hex(64))
    state = secrets.token_hex(64)

    outcome = suite.end_session(
        id_token_hint=login.tokens["id_token"], post_logout_redirect_uri=POST_LOGOUT, state=state
    )
    received = receiver.next()

    assert outcome.callback.address == f"{POST_LOGOUT}?state={state}"
    assert received.path == "/backchannel-logout"
    assert received.content_type == "application/x-www-form-urlencoded"
    assert set(received.form) == {"logout_token"}
    claims = suite.verified(received.token)
    assert claims["iss"] == ISSUER
    assert claims["aud"] in (suite.client.client_id, [suite.client.client_id])
    assert type(claims["iat"]) is int
    assert abs(claims["iat"] - suite.now) <= 300
    assert claims["exp"] > suite.now
    assert claims["jti"]
    assert claims["events"] == {EVENT: {}}
    assert claims["sid"] == login.id_token["sid"]
    assert claims["sub"] == login.id_token["sub"]
    assert "nonce" not in claims
    assert suite.refusal(prompt="none") in checks.INTERACTION_ERRORS
