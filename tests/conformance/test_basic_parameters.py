"""Basic OP and Form Post OP: parameters that must do no harm, and requests that are refused."""

import base64
import json

import pytest

from tests.conformance import checks
from tests.conformance.suite import CALLBACK


@pytest.mark.requirement("OIDC-CORE-15.1-3")
def test_oidcc_display_page(suite):
    suite.login(display="page")


@pytest.mark.requirement("OIDC-CORE-3.1.2.1-5")
def test_oidcc_display_popup(suite):
    suite.login(display="popup")


@pytest.mark.requirement("OIDC-CORE-3.1.2.1-12", "OIDC-CORE-15.1-3")
def test_oidcc_ui_locales(suite):
    suite.login(ui_locales="se")


@pytest.mark.requirement("OIDC-CORE-3.1.2.1-12", "OIDC-CORE-15.1-3")
def test_oidcc_claims_locales(suite):
    suite.login(claims_locales="se")


@pytest.mark.requirement("OIDC-CORE-3.1.2.1-14")
def test_oidcc_login_hint(suite):
    suite.login(login_hint="buffy@localhost")


@pytest.mark.requirement("OIDC-CORE-3.1.2.1-16")
def test_oidcc_ensure_request_with_unknown_parameter_succeeds(suite):
    suite.login(extra="foobar")


@pytest.mark.requirement("OIDC-CORE-3.1.2.1-15", "OIDC-CORE-15.1-3")
def test_oidcc_ensure_request_with_acr_values_succeeds(suite):
    requested = suite.metadata.get("acr_values_supported", ["1", "2"])

    login = suite.login(acr_values=" ".join(requested))

    assert login.id_token["acr"] in requested


@pytest.mark.requirement("OIDC-CORE-3.1.2.1-1")
def test_oidcc_ensure_post_request_succeeds(suite):
    request = suite.request()
    endpoint = suite.metadata["authorization_endpoint"]

    suite.finish(request, suite.browser.open(endpoint, form=request))


@pytest.mark.requirement("OIDC-CORE-3.1.2.1-3")
def test_oidcc_ensure_registered_redirect_uri(suite):
    outcome = suite.authorize(suite.request(redirect_uri=f"{CALLBACK}/random"))

    assert "redirect_uri" in checks.page_of_provider(outcome)
    assert outcome.page.status_int == 400
    assert not outcome.page.html.find("form")
    assert not outcome.page.html.find("a", href=lambda address: address.startswith(CALLBACK))


def _with_request_object(request):
    """Return a request of which all but what must be repeated is in an unsigned object."""
    header = {"alg": "none"}
    parts = (base64.urlsafe_b64encode(json.dumps(part).encode()) for part in (header, request))
    token = ".".join(part.rstrip(b"=").decode() for part in parts)
    outside = {name: request[name] for name in ("response_type", "client_id", "scope")}
    return outside | {"request": f"{token}."}


@pytest.mark.requirement("OIDC-CORE-3.1.2.6-4", "OIDC-DISCOVERY-3-16")
def test_oidcc_unsigned_request_object_supported_correctly_or_rejected_as_unsupported(suite):
    assert suite.metadata["request_parameter_supported"] is False
    assert "request_object_signing_alg_values_supported" not in suite.metadata
    inside = suite.request()
    request = _with_request_object(inside) | {"redirect_uri": inside["redirect_uri"]}

    outcome = suite.authorize(request)

    assert not outcome.pages
    assert suite.answer(request, outcome)["error"] == "request_not_supported"


def test_oidcc_ensure_request_object_with_redirect_uri(suite):
    inside = suite.request()
    request = _with_request_object(inside) | {"redirect_uri": f"{CALLBACK}/random"}

    outcome = suite.authorize(request)

    assert "redirect_uri" in checks.page_of_provider(outcome)
    assert outcome.page.status_int == 400
