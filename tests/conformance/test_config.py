"""Config OP: the metadata document, read as closely as the suite reads it."""

import re
from urllib.parse import urlsplit

import pytest

from tests.conformance import checks
from tests.conformance.suite import DISCOVERY, ISSUER

URLS = {
    "issuer",
    "authorization_endpoint",
    "token_endpoint",
    "userinfo_endpoint",
    "jwks_uri",
    "revocation_endpoint",
    "introspection_endpoint",
    "end_session_endpoint",
}
BOOLEANS = {
    "claims_parameter_supported",
    "request_parameter_supported",
    "request_uri_parameter_supported",
    "require_request_uri_registration",
    "backchannel_logout_supported",
    "backchannel_logout_session_supported",
    "authorization_response_iss_parameter_supported",
}
LISTS = {
    "scopes_supported",
    "response_types_supported",
    "response_modes_supported",
    "grant_types_supported",
    "acr_values_supported",
    "subject_types_supported",
    "id_token_signing_alg_values_supported",
    "userinfo_signing_alg_values_supported",
    "request_object_signing_alg_values_supported",
    "token_endpoint_auth_methods_supported",
    "revocation_endpoint_auth_methods_supported",
    "introspection_endpoint_auth_methods_supported",
    "token_endpoint_auth_signing_alg_values_supported",
    "revocation_endpoint_auth_signing_alg_values_supported",
    "introspection_endpoint_auth_signing_alg_values_supported",
    "claim_types_supported",
    "claims_supported",
    "claims_locales_supported",
    "ui_locales_supported",
    "code_challenge_methods_supported",
    "prompt_values_supported",
}
# Language, script, region, in the casing that is usual (RFC 5646, section 2.1.1).
LOCALE = re.compile(r"[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?")
SCOPE = re.compile(r"[\x21\x23-\x5B\x5D-\x7E]+")


@pytest.mark.requirement("OIDC-DISCOVERY-3-2", "OIDC-DISCOVERY-4.3-1", "OIDC-DISCOVERY-7.1-1")
def test_oidcc_discovery_endpoint_verification(plain_suite):
    answer = plain_suite.http.visit(DISCOVERY)
    assert answer.status_int == 200
    assert answer.content_type == "application/json"
    metadata = answer.json

    assert (
        metadata["issuer"] == ISSUER == DISCOVERY.removesuffix("/.well-known/openid-configuration")
    )
    assert not urlsplit(metadata["issuer"]).query
    checks.endpoints(metadata)
    assert set(metadata) <= URLS | BOOLEANS | LISTS, "the suite warns of members it does not know"
    for name in BOOLEANS & set(metadata):
        assert isinstance(metadata[name], bool), name
    for name in LISTS & set(metadata):
        assert metadata[name], name
        assert all(isinstance(value, str) for value in metadata[name]), name
        assert len(set(metadata[name])) == len(metadata[name]), name

    assert "code" in metadata["response_types_supported"]
    assert set(metadata["subject_types_supported"]) <= {"public", "pairwise"}
    assert "RS256" in metadata["id_token_signing_alg_values_supported"]
    assert "RS256" in metadata.get("request_object_signing_alg_values_supported", ["RS256"])
    assert metadata["claims_supported"]
    assert "authorization_code" in metadata["grant_types_supported"]
    assert "openid" in metadata["scopes_supported"]
    assert all(SCOPE.fullmatch(scope) for scope in metadata["scopes_supported"])
    for name in ("ui_locales_supported", "claims_locales_supported"):
        assert all(LOCALE.fullmatch(locale) for locale in metadata.get(name, []))
    assert set(metadata["code_challenge_methods_supported"]) & {"S256", "plain"}
    assert {"query", "form_post"} <= set(metadata["response_modes_supported"])
    # Absent, this one would mean true.
    assert metadata["request_uri_parameter_supported"] is False
    checks.keys(plain_suite.http.visit(metadata["jwks_uri"]))
