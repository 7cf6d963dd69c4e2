"""What the standards ask of addresses and metadata, where no other test says it."""

import pytest

from tests.helpers.client_assertion import claims_of, form_of, key_set, new_key, signed
from tests.helpers.relying_party import AUTHORIZE, TOKEN, RelyingParty

REVOKE = "/api/auth/oauth2/revoke"
INTROSPECT = "/api/auth/oauth2/introspect"
ALGORITHMS = ["RS256", "ES256", "EdDSA"]


@pytest.fixture
def metadata(browser):
    return browser.get("/api/auth/.well-known/openid-configuration").json


@pytest.mark.requirement("RFC6749-3.1-2", "RFC6749-3.2-2")
def test_no_endpoint_has_a_fragment_or_a_query(metadata):
    addresses = [value for name, value in metadata.items() if name.endswith("_endpoint")]

    assert len(addresses) == 6
    assert not [address for address in addresses if "#" in address or "?" in address]


@pytest.mark.requirement("RFC8414-3.2-2", "RFC8414-3.2-3", "OIDC-DISCOVERY-4.2-2")
def test_members_with_several_values_are_arrays_and_none_is_empty(metadata):
    lists = {name: value for name, value in metadata.items() if name.endswith("_supported")}

    for name, value in lists.items():
        assert isinstance(value, (bool, list)), name
        assert value or value is False, name
    assert not [name for name, value in metadata.items() if value in (None, "", [])]


@pytest.mark.attack("RFC6819-4.3.3")
@pytest.mark.requirement("RFC6749-2.3.1-4")
def test_client_credentials_in_the_query_are_not_read(relying_party):
    query = f"client_id={relying_party.client_id}&client_secret={relying_party.client_secret}"

    answer = relying_party.http.post(
        f"{TOKEN}?{query}", {"grant_type": "refresh_token"}, expect_errors=True
    )

    assert answer.status_int == 401
    assert answer.json["error"] == "invalid_client"


def status_by_method(client, with_key, path):
    """Return how an endpoint answers each authentication method of confidential clients."""
    form = {"token": "unknown"}
    secret = {"client_id": client.client_id, "client_secret": client.client_secret}
    post = client.http.post
    return {
        "client_secret_basic": post(path, form, headers=client.credentials()).status_int,
        "client_secret_post": post(path, form | secret).status_int,
        "private_key_jwt": post(path, form | with_key()).status_int,
    }


@pytest.fixture
def with_key(app, database):
    """Return what a client with a key proves itself with."""
    key = new_key()
    client_id = RelyingParty.registered(app, database, jwks=key_set(key)).client_id
    return lambda: form_of(signed(claims_of(client_id), key))


@pytest.mark.requirement("RFC8414-2-10")
def test_the_authentication_methods_of_revocation_work(
    app, database, relying_party, with_key, metadata
):
    public = RelyingParty.registered(app, database, public=True)
    form = {"token": "unknown", "client_id": public.client_id}
    works = status_by_method(relying_party, with_key, REVOKE)
    works["none"] = public.http.post(REVOKE, form).status_int

    assert works == dict.fromkeys(metadata["revocation_endpoint_auth_methods_supported"], 200)


@pytest.mark.requirement("RFC8414-2-11")
def test_the_authentication_methods_of_introspection_work(relying_party, with_key, metadata):
    methods = metadata["introspection_endpoint_auth_methods_supported"]

    works = status_by_method(relying_party, with_key, INTROSPECT)

    assert works == dict.fromkeys(methods, 200)


@pytest.mark.requirement("OIDC-DISCOVERY-3-11")
def test_signed_userinfo_is_announced_with_its_algorithms(metadata):
    assert metadata["userinfo_signing_alg_values_supported"] == ALGORITHMS


@pytest.mark.attack("RFC6819-4.4.1.5")
@pytest.mark.requirement("RFC8252-8.4-4")
def test_another_client_s_redirect_uri_is_refused(app, browser, database):
    address = "https://app.example.com/one"
    RelyingParty.registered(app, database, redirect_uris=[address])
    other = RelyingParty.registered(app, database, redirect_uris=["https://app.example.com/two"])

    answer = browser.get(AUTHORIZE, other.request(redirect_uri=address), expect_errors=True)

    assert answer.status_int == 400
    assert "Location" not in answer.headers


@pytest.mark.requirement("OIDC-FORMPOST-2-3")
def test_the_form_of_a_form_post_is_urlencoded_utf_8(browser, relying_party):
    page = relying_party.authorize(browser, prompt="none", response_mode="form_post")

    form = page.html.find("form")
    assert form.get("enctype", "application/x-www-form-urlencoded") == (
        "application/x-www-form-urlencoded"
    )
    assert form.get("accept-charset", page.charset).lower() == "utf-8"
