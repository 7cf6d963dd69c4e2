"""The key set: public halves only, each with its name, and kept for a while by caches."""

import pytest
from joserfc.jwk import KeySet
from sqlalchemy import delete, update

from authservice.models import oauth_client
from authservice.services.keys.signing_keys import READ_AGAIN_AFTER
from tests.helpers.browser import Browser
from tests.helpers.published_keys import JWKS, decoded
from tests.helpers.relying_party import RelyingParty

PUBLIC = {
    "RS256": {"kty", "n", "e"},
    "ES256": {"kty", "crv", "x", "y"},
    "EdDSA": {"kty", "crv", "x"},
}


@pytest.fixture
def keys(clients_of_all_algs, browser):
    answer = browser.get(JWKS)
    assert answer.content_type == "application/json"
    assert set(answer.json) == {"keys"}
    return answer.json["keys"]


def published(browser):
    return [key["alg"] for key in browser.get(JWKS).json["keys"]]


def test_there_is_a_key_for_each_algorithm_that_a_client_is_registered_for(keys):
    assert [key["alg"] for key in keys] == ["RS256", "ES256", "EdDSA"]


def test_keys_that_no_client_needs_are_not_published(browser, app, database, turnable_clock):
    def in_a_minute():
        turnable_clock.moment += READ_AGAIN_AFTER
        return published(browser)

    app.registry.components.follower.stop()
    assert published(browser) == ["RS256"]
    one = RelyingParty.registered(app, database, id_token_signed_response_alg="RS256")
    assert in_a_minute() == ["RS256"]

    RelyingParty.registered(app, database, userinfo_signed_response_alg="EdDSA")
    assert in_a_minute() == ["RS256", "EdDSA"]
    with database.transaction() as connection:
        connection.execute(
            update(oauth_client)
            .where(oauth_client.c.client_id == one.client_id)
            .values(id_token_signed_response_alg="ES256", disabled=True)
        )
    assert in_a_minute() == ["RS256", "ES256", "EdDSA"]
    with database.transaction() as connection:
        connection.execute(delete(oauth_client))
    assert in_a_minute() == ["RS256"]


def test_a_client_that_was_registered_a_moment_ago_finds_the_key_of_its_first_token(
    browser, app, database
):
    app.registry.components.follower.stop()
    assert published(browser) == ["RS256"]
    client = RelyingParty.registered(app, database, id_token_signed_response_alg="EdDSA")

    token = client.redeem(client.sign_in_with(browser)).json["id_token"]

    assert decoded(token, client.http, "EdDSA")[0]["alg"] == "EdDSA"


@pytest.mark.requirement("RFC8414-2-13", "OIDC-CORE-10.1-2", "OIDC-DISCOVERY-3-4")
@pytest.mark.requirement("OIDC-DISCOVERY-3-5")
def test_every_key_is_public_named_and_for_signatures(keys):
    for key in keys:
        assert set(key) == PUBLIC[key["alg"]] | {"kid", "alg", "use"}
        assert key["use"] == "sig"
        assert key["kid"]
    assert len({key["kid"] for key in keys}) == len(keys)


@pytest.mark.requirement("OIDC-DISCOVERY-3-4")
def test_another_library_takes_the_set_and_finds_no_private_key(keys):
    found = KeySet.import_key_set({"keys": keys})

    assert len(found.keys) == len(keys)
    assert not any(key.is_private for key in found.keys)


def test_keys_are_strong_enough(keys):
    by_alg = {key["alg"]: key for key in keys}

    # 342 characters of base64url are 256 bytes.
    assert len(by_alg["RS256"]["n"]) == 342
    assert by_alg["RS256"]["e"] == "AQAB"
    assert by_alg["ES256"]["crv"] == "P-256"
    assert by_alg["EdDSA"]["crv"] == "Ed25519"


@pytest.mark.story("jwks")
def test_the_set_is_the_same_in_every_process_and_after_a_restart(keys, make_app):
    assert Browser(make_app()).get(JWKS).json["keys"] == keys
