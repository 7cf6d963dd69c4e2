"""The metadata documents: every member is true of what is implemented, and nothing is missing."""

from urllib.parse import urlsplit

import pytest

from tests.helpers.browser import Browser
from tests.helpers.client_assertion import OF_KIND, claims_of, form_of, key_set, new_key, signed
from tests.helpers.published_keys import ISSUER, decoded
from tests.helpers.relying_party import TOKEN, RelyingParty
from tests.helpers.resource_file import resource_file

PATHS = [
    "/api/auth/.well-known/openid-configuration",
    "/api/auth/.well-known/oauth-authorization-server",
    "/.well-known/oauth-authorization-server/api/auth",
]
DOCUMENTS = [*PATHS, "/api/auth/jwks"]


@pytest.fixture
def metadata(browser):
    return browser.get(PATHS[0]).json


@pytest.mark.story(
    "well_known.openid_configuration",
    "well_known.oauth_authorization_server",
    "well_known.path_inserted",
)
@pytest.mark.attack("FAILURES-21")
@pytest.mark.requirement("RFC8414-3-1", "RFC8414-3.1-1", "RFC8414-3.2-1", "RFC9700-2.6-1")
@pytest.mark.requirement("OIDC-DISCOVERY-4-1", "OIDC-DISCOVERY-4.1-1", "OIDC-DISCOVERY-4.2-1")
def test_the_document_is_the_same_at_all_three_addresses(browser):
    documents = [browser.get(path) for path in PATHS]

    assert all(answer.content_type == "application/json" for answer in documents)
    assert documents[0].json == documents[1].json == documents[2].json


@pytest.mark.requirement("RFC8414-2-2", "RFC8414-2-3", "RFC8414-2-10", "RFC8414-2-11")
@pytest.mark.requirement("OIDC-DISCOVERY-3-2", "OIDC-DISCOVERY-3-3")
def test_its_members_are_exactly_these(metadata):
    assert set(metadata) == {
        "issuer",
        "authorization_endpoint",
        "token_endpoint",
        "userinfo_endpoint",
        "introspection_endpoint",
        "revocation_endpoint",
        "end_session_endpoint",
        "jwks_uri",
        "scopes_supported",
        "response_types_supported",
        "response_modes_supported",
        "grant_types_supported",
        "subject_types_supported",
        "id_token_signing_alg_values_supported",
        "userinfo_signing_alg_values_supported",
        "token_endpoint_auth_methods_supported",
        "introspection_endpoint_auth_methods_supported",
        "revocation_endpoint_auth_methods_supported",
        "token_endpoint_auth_signing_alg_values_supported",
        "introspection_endpoint_auth_signing_alg_values_supported",
        "revocation_endpoint_auth_signing_alg_values_supported",
        "code_challenge_methods_supported",
        "prompt_values_supported",
        "acr_values_supported",
        "claim_types_supported",
        "claims_supported",
        "claims_parameter_supported",
        "request_parameter_supported",
        "request_uri_parameter_supported",
        "require_request_uri_registration",
        "authorization_response_iss_parameter_supported",
        "backchannel_logout_supported",
        "backchannel_logout_session_supported",
        "ui_locales_supported",
    }


def test_what_the_operator_has_set_is_named_there_too(make_app, tmp_path):
    pages = {"branding__privacy_url": "https://example.com/privacy"}
    pages["branding__imprint_url"] = "https://example.com/imprint"
    resources = ["https://notes.example.com", "https://files.example.com/v1"]
    pages["auth__resources"] = resource_file(tmp_path, *resources)

    metadata = Browser(make_app(**pages)).get(PATHS[0]).json

    assert metadata["op_policy_uri"] == "https://example.com/privacy"
    assert metadata["op_tos_uri"] == "https://example.com/imprint"
    assert metadata["protected_resources"] == resources


@pytest.mark.requirement("RFC8414-2-1", "RFC8414-3.3-1", "RFC9207-2.3-1", "RFC9207-3-1")
@pytest.mark.requirement("OIDC-DISCOVERY-4.3-1", "OIDC-DISCOVERY-4.3-2")
def test_the_issuer_is_where_the_document_was_found(metadata):
    assert metadata["issuer"] == ISSUER
    assert metadata["authorization_response_iss_parameter_supported"] is True


@pytest.mark.requirement("RFC8414-2-2", "RFC8414-2-3")
def test_every_endpoint_lies_below_the_issuer_and_exists(browser, metadata):
    for name, address in metadata.items():
        if name.endswith(("_endpoint", "_uri")):
            assert address.startswith(f"{ISSUER}/")
            answer = browser.options(urlsplit(address).path, expect_errors=True)
            assert answer.status_int == 405


@pytest.mark.requirement("OIDC-DISCOVERY-3-15", "OIDC-DISCOVERY-3-16")
@pytest.mark.parametrize("name", ["request", "request_uri"])
def test_what_is_not_supported_says_so(metadata, name):
    # Absent, request_uri would mean supported.
    assert metadata[f"{name}_parameter_supported"] is False


@pytest.mark.attack("RFC9700-4.17", "OWASP-OAUTH-5")
@pytest.mark.requirement("RFC8414-2-5", "RFC8414-2-7", "RFC9700-2.1.2-1", "OIDC-CORE-3.1.2.1-4")
@pytest.mark.requirement("OIDC-DISCOVERY-3-7")
def test_each_response_type_and_mode_works_and_no_other(browser, app, database, metadata):
    client = RelyingParty.registered(app, database, skip_consent=True)
    browser.sign_in()

    assert metadata["response_types_supported"] == ["code"]
    assert metadata["response_modes_supported"] == ["query", "form_post"]
    for mode in metadata["response_modes_supported"]:
        answer = client.authorize(browser, response_mode=mode)
        place = answer.text if mode == "form_post" else answer.location
        assert "code" in place
        assert "error" not in place
    for mode in ("fragment", "web_message", "jwt", "query.jwt"):
        assert client.answer(client.authorize(browser, response_mode=mode))["error"]


@pytest.mark.attack("RFC9700-4.15", "OWASP-OAUTH-6", "FAILURES-10", "FAILURES-12")
@pytest.mark.requirement("RFC6749-5.2-6", "RFC8414-2-8", "RFC9700-2.4-1")
def test_each_grant_type_is_known_and_no_other(relying_party, metadata):
    known = metadata["grant_types_supported"]

    assert known == ["authorization_code", "refresh_token", "client_credentials"]
    for grant_type in (*known, "password", "implicit"):
        error = relying_party.token_request({"grant_type": grant_type}).json["error"]
        assert (error != "unsupported_grant_type") == (grant_type in known)


@pytest.mark.attack("FAILURES-34")
@pytest.mark.requirement("RFC6749-2.3.1-1", "RFC6749-2.3.1-3", "RFC8414-2-9", "OAUTH21-2.4.1-1")
@pytest.mark.requirement("OIDC-CORE-9-1", "OIDC-CORE-9-2")
def test_each_client_authentication_method_works(app, database, metadata):
    confidential = RelyingParty.registered(app, database)
    public = RelyingParty.registered(app, database, public=True)
    key = new_key()
    with_key = RelyingParty.registered(app, database, jwks=key_set(key))
    assertion = form_of(signed(claims_of(with_key.client_id), key))
    form = {"grant_type": "refresh_token", "refresh_token": "unknown"}
    secret = {
        "client_id": confidential.client_id,
        "client_secret": confidential.client_secret,
    }

    answers = {
        "client_secret_basic": confidential.token_request(form),
        "client_secret_post": confidential.http.post(TOKEN, form | secret, expect_errors=True),
        "private_key_jwt": with_key.http.post(TOKEN, form | assertion, expect_errors=True),
        "none": public.token_request(form),
    }

    assert metadata["token_endpoint_auth_methods_supported"] == list(answers)
    for answer in answers.values():
        assert answer.json["error"] == "invalid_grant"


@pytest.mark.requirement("RFC8414-2-14", "OIDC-DISCOVERY-3-18")
def test_the_algorithms_of_assertions_are_named(metadata):
    for endpoint in ("token", "introspection", "revocation"):
        named = metadata[f"{endpoint}_endpoint_auth_signing_alg_values_supported"]
        assert named == list(OF_KIND)


@pytest.mark.requirement("RFC7636-4.2-1", "RFC7636-4.6-1", "RFC8414-2-12", "RFC9700-2.1.1-1")
@pytest.mark.requirement("RFC9700-2.1.1-6", "OAUTH21-4.1.1-2", "OAUTH21-4.1.3-1")
def test_the_challenge_method_works(browser, relying_party, metadata):
    assert metadata["code_challenge_methods_supported"] == ["S256"]
    code = relying_party.sign_in_with(browser)
    assert relying_party.redeem(code).status_int == 200


@pytest.mark.requirement("RFC8414-2-6", "OIDC-CORE-5.6-1", "OIDC-DISCOVERY-3-6")
@pytest.mark.requirement("OIDC-DISCOVERY-3-12")
def test_each_scope_can_be_had_and_each_claim_comes_with_them(app, database, browser, metadata):
    known = ["openid", "profile", "email", "offline_access", "groups"]
    assert metadata["scopes_supported"] == known
    relying_party = RelyingParty.registered(app, database, groups=True)
    scope = " ".join(metadata["scopes_supported"])
    code = relying_party.sign_in_with(browser, scope=scope, acr_values="any")
    tokens = relying_party.redeem(code).json

    _, claims = decoded(tokens["id_token"], relying_party.http)

    assert set(tokens["scope"].split()) == set(metadata["scopes_supported"])
    assert set(metadata["claims_supported"]) == set(claims)
    assert len(metadata["claims_supported"]) == len(claims)
    assert metadata["claim_types_supported"] == ["normal"]


@pytest.mark.requirement("OIDC-CORE-2-11", "OIDC-DISCOVERY-3-8", "OIDC-DISCOVERY-3-13")
def test_each_subject_type_and_acr_is_what_id_tokens_hold(browser, relying_party, metadata):
    subjects = []
    for _ in range(2):
        code = relying_party.sign_in_with(browser, acr_values="gold silver")
        _, claims = decoded(relying_party.redeem(code).json["id_token"], relying_party.http)
        assert metadata["acr_values_supported"] == [claims["acr"]]
        subjects.append(claims["sub"])

    assert metadata["subject_types_supported"] == ["public"]
    assert subjects[0] == subjects[1]


@pytest.mark.requirement("RFC8414-2-4", "OIDC-CORE-2-9", "OIDC-DISCOVERY-3-9")
@pytest.mark.requirement("OIDC-DISCOVERY-3-10")
def test_there_is_a_key_for_each_signing_algorithm(clients_of_all_algs, browser, metadata):
    algorithms = metadata["id_token_signing_alg_values_supported"]
    keys = browser.get(urlsplit(metadata["jwks_uri"]).path).json["keys"]

    assert "RS256" in algorithms
    assert "none" not in algorithms
    assert {key["alg"] for key in keys} == set(algorithms)


@pytest.mark.requirement("OIDC-CORE-15.1-2")
def test_each_prompt_is_known(browser, relying_party, metadata):
    assert metadata["prompt_values_supported"] == ["none", "login", "consent", "select_account"]
    for value in metadata["prompt_values_supported"]:
        answer = relying_party.authorize(browser, prompt=value)
        assert "error=invalid_request" not in answer.location


@pytest.mark.requirement("OIDC-DISCOVERY-3-17")
def test_the_pages_speak_the_language_that_is_announced(browser, metadata):
    for language in metadata["ui_locales_supported"]:
        page = browser.get("/", headers={"Accept-Language": language})
        assert page.html.find("html")["lang"] == language


@pytest.mark.requirement("RFC6749-2.3.1-6", "RFC6749-3.1-8", "RFC6749-3.2-5", "RFC7009-2-3")
@pytest.mark.requirement("RFC7662-2-1", "RFC8414-2-1", "RFC8414-2-4", "OAUTH21-1.5-1")
@pytest.mark.requirement("OIDC-DISCOVERY-3-1", "OIDC-DISCOVERY-3-3", "OIDC-DISCOVERY-7.1-1")
@pytest.mark.requirement("OIDC-RPLOGOUT-2.1-1")
def test_behind_a_tls_front_every_address_is_https(make_app):
    app = make_app(auth__url="https://localhost:37960")

    metadata = Browser(app).get(PATHS[0]).json

    addresses = [value for value in metadata.values() if str(value).startswith("http")]
    assert len(addresses) == 8
    assert all(address.startswith("https://localhost:37960/api/auth") for address in addresses)


@pytest.mark.parametrize("path", DOCUMENTS)
def test_head_answers_like_get_without_the_body(browser, path):
    whole, head = browser.get(path), browser.head(path)

    assert head.status_int == 200
    assert head.body == b""
    for name in ("Content-Type", "ETag", "Cache-Control", "Content-Length"):
        assert head.headers[name] == whole.headers[name]


@pytest.mark.parametrize("path", DOCUMENTS)
def test_caches_may_keep_it_for_a_while_and_nobody_is_known_by_it(browser, path):
    browser.sign_in()
    answer = browser.get(path)

    assert answer.headers["Cache-Control"].startswith("public, max-age=300")
    assert "Set-Cookie" not in answer.headers
    assert answer.headers.getall("Vary") == ["Origin"]
    assert answer.headers["Access-Control-Allow-Origin"] == "*"


def test_who_has_it_already_gets_304(subtests, browser):
    for path in DOCUMENTS:
        for known in ("{tag}", "W/{tag}", '"other", {tag}', '"a",W/{tag}', "*"):
            with subtests.test(path=path, known=known):
                whole = browser.get(path)
                tag = whole.headers["ETag"]

                answer = browser.get(path, headers={"If-None-Match": known.format(tag=tag)})

                assert answer.status_int == 304
                assert answer.body == b""
                assert answer.headers["ETag"] == tag
                assert answer.headers["Cache-Control"] == whole.headers["Cache-Control"]
                assert answer.headers["Access-Control-Allow-Origin"] == "*"


@pytest.mark.parametrize("known", ['"other"', "", "junk", "\xff"])
def test_who_has_another_one_gets_the_whole_document(browser, known):
    answer = browser.get(PATHS[0], headers={"If-None-Match": known})

    assert answer.status_int == 200
    assert answer.json["issuer"] == ISSUER
