"""SSRF: no address that comes with a request or a token makes the service ask there.

The service itself sends requests to the identity provider, whose addresses are settings, and to
back-channel logout endpoints, which the command line registers; both are tested where they live.
"""

import pytest

from tests.helpers.browser import ORIGIN
from tests.helpers.end_session import END_SESSION
from tests.helpers.relying_party import AUTHORIZE


@pytest.mark.attack("BROWSER-ssrf")
def test_no_parameter_of_an_authorization_request_is_fetched(
    subtests, browser, relying_party, inside
):
    address, received = inside
    browser.sign_in()

    for name in (
        "request_uri",
        "registration",
        "client_id",
        "redirect_uri",
        "jwks_uri",
        "sector_identifier_uri",
        "logo_uri",
        "resource",
        "claims",
        "id_token_hint",
        "login_hint",
        "acr_values",
    ):
        with subtests.test(name=name):
            received.clear()
            request = relying_party.request(**{name: f"{address}/x"})
            browser.get(AUTHORIZE, request, expect_errors=True)
            assert received == []


@pytest.mark.attack("BROWSER-ssrf")
def test_no_address_of_a_token_request_is_fetched(relying_party, inside):
    address, received = inside

    relying_party.token_request(
        {
            "grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer",
            "assertion": f"{address}/assertion",
            "client_assertion": f"{address}/assertion",
            "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            "request_uri": f"{address}/request",
            "redirect_uri": f"{address}/callback",
            "resource": f"{address}/resource",
        }
    )

    assert received == []


@pytest.mark.attack("BROWSER-ssrf")
def test_no_address_of_a_page_or_of_the_session_api_is_fetched(browser, inside):
    address, received = inside
    local = address.replace("127.0.0.1", "localhost")
    browser.sign_in()

    for name in ("callbackURL", "errorCallbackURL", "newUserCallbackURL"):
        browser.get("/sign-in", {name: f"{local}/x"})
        browser.post_json(
            "/api/auth/sign-in/social",
            {"provider": "github", name: f"{local}/x"},
            headers={"Origin": ORIGIN},
        )
    browser.get(END_SESSION, {"post_logout_redirect_uri": f"{address}/x"}, expect_errors=True)

    assert received == []
