"""The key set: public halves only, each with its name, and kept for a while by caches."""

import pytest
from joserfc.jwk import KeySet

from tests.helpers.browser import Browser
from tests.helpers.published_keys import JWKS

PUBLIC = {
    "RS256": {"kty", "n", "e"},
    "ES256": {"kty", "crv", "x", "y"},
    "EdDSA": {"kty", "crv", "x"},
}


@pytest.fixture
def keys(browser):
    answer = browser.get(JWKS)
    assert answer.content_type == "application/json"
    assert set(answer.json) == {"keys"}
    return answer.json["keys"]


def test_there_is_a_key_for_each_algorithm_from_the_start(keys):
    assert sorted(key["alg"] for key in keys) == ["ES256", "EdDSA", "RS256"]


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
def test_the_set_is_the_same_in_every_process_and_after_a_restart(make_app, browser, keys):
    assert Browser(make_app()).get(JWKS).json["keys"] == keys
