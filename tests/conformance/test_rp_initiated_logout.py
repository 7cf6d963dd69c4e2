"""RP-Initiated Logout OP: who is sent back after signing out, and who is shown a page instead."""

import base64
import json
import secrets
from urllib.parse import parse_qsl

import pytest
from joserfc import jwt
from joserfc.jwk import OctKey

from tests.conformance import checks
from tests.conformance.old_browser import LOG_OUT
from tests.conformance.suite import POST_LOGOUT


@pytest.fixture
def suite(plain_suite):
    """The suite, whose client may end sessions and is told where to come back."""
    plain_suite.client = plain_suite.register(
        enable_end_session=True, post_logout_redirect_uris=[POST_LOGOUT]
    )
    return plain_suite


@pytest.fixture
def login(suite):
    return suite.login(state=secrets.token_hex(64))


@pytest.fixture
def logout_request(login):
    """What the suite sends to the end-session endpoint unless a module changes it."""
    return {
        "id_token_hint": login.tokens["id_token"],
        "post_logout_redirect_uri": POST_LOGOUT,
        "state": secrets.token_hex(64),
    }


def assert_signed_out(suite):
    assert suite.refusal(prompt="none", state=secrets.token_hex(64)) in checks.INTERACTION_ERRORS


def assert_sent_back(outcome, **parameters):
    address, _, query = outcome.callback.address.partition("?")
    assert outcome.callback.method == "GET"
    assert address == POST_LOGOUT
    assert dict(parse_qsl(query)) == parameters


def assert_never_sent_back(suite, request):
    """The browser stays on a page; if that asks to confirm, it stays on the one after it too."""
    outcome = suite.end_session(**request)
    words = checks.page_of_provider(outcome)
    if outcome.page.html.find(id=LOG_OUT):
        assert outcome.page.status_int == 200
        assert "Sign out?" in words
        done = suite.browser.open(suite.metadata["end_session_endpoint"], request, click=(LOG_OUT,))
        assert "Signed out" in checks.page_of_provider(done)
        return None
    assert outcome.page.status_int == 400
    return words


def assert_signed_out_page(suite, request):
    outcome = suite.browser.open(suite.metadata["end_session_endpoint"], request, click=(LOG_OUT,))
    assert "Signed out" in checks.page_of_provider(outcome)
    assert outcome.page.status_int == 200
    assert_signed_out(suite)


@pytest.mark.requirement("OIDC-RPLOGOUT-2.1-1")
def test_oidcc_rp_initiated_logout_discovery_endpoint_verification(suite):
    assert suite.metadata["end_session_endpoint"].startswith("https://")
    checks.endpoints(suite.metadata)


@pytest.mark.requirement("OIDC-RPLOGOUT-2-7")
def test_oidcc_rp_initiated_logout(suite, logout_request):
    outcome = suite.end_session(**logout_request)

    assert_sent_back(outcome, state=logout_request["state"])
    assert_signed_out(suite)


def test_oidcc_rp_initiated_logout_no_state(suite, logout_request):
    del logout_request["state"]

    assert_sent_back(suite.end_session(**logout_request))
    assert_signed_out(suite)


@pytest.mark.requirement("OIDC-RPLOGOUT-3-1")
def test_oidcc_rp_initiated_logout_bad_post_logout_redirect_uri(suite, logout_request):
    logout_request["post_logout_redirect_uri"] = f"{POST_LOGOUT}/{secrets.token_hex(8)}"

    assert "post_logout_redirect_uri" in assert_never_sent_back(suite, logout_request)


@pytest.mark.requirement("OIDC-RPLOGOUT-2-6")
def test_oidcc_rp_initiated_logout_query_added_to_post_logout_redirect_uri(suite, logout_request):
    logout_request["post_logout_redirect_uri"] = f"{POST_LOGOUT}?foo=bar"

    assert "post_logout_redirect_uri" in assert_never_sent_back(suite, logout_request)


@pytest.mark.requirement("OIDC-RPLOGOUT-2-2")
def test_oidcc_rp_initiated_logout_modified_id_token_hint(suite, login, logout_request):
    parts = [
        base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode()
        for part in ({"alg": "none"}, login.id_token)
    ]
    logout_request["id_token_hint"] = f"{'.'.join(parts)}."

    assert_never_sent_back(suite, logout_request)


@pytest.mark.requirement("OIDC-RPLOGOUT-2-2")
def test_oidcc_rp_initiated_logout_bad_id_token_hint(suite, login, logout_request):
    secret = OctKey.import_key(suite.client.client_secret)
    logout_request["id_token_hint"] = jwt.encode({"alg": "HS256"}, login.id_token, secret)

    assert_never_sent_back(suite, logout_request)


@pytest.mark.requirement("OIDC-RPLOGOUT-3-2")
def test_oidcc_rp_initiated_logout_no_id_token_hint(suite, logout_request):
    del logout_request["id_token_hint"]

    assert_never_sent_back(suite, logout_request)


@pytest.mark.requirement("OIDC-RPLOGOUT-2-8")
def test_oidcc_rp_initiated_logout_no_params(suite, login):
    assert_signed_out_page(suite, {})


@pytest.mark.requirement("OIDC-RPLOGOUT-3-4")
def test_oidcc_rp_initiated_logout_no_post_logout_redirect_uri(suite, logout_request):
    del logout_request["post_logout_redirect_uri"]

    assert_signed_out_page(suite, logout_request)


def test_oidcc_rp_initiated_logout_only_state(suite, logout_request):
    assert_signed_out_page(suite, {"state": logout_request["state"]})
