"""Signing keys: their kinds, how they are stored, and what of them is published."""

import json

import pytest

from authservice.crypto import signing_keys
from authservice.crypto.algorithms import ALGORITHMS
from authservice.crypto.server_secret import ServerSecret

SECRET = ServerSecret(b"s" * 32)
PRIVATE_MEMBERS = {"d", "p", "q", "dp", "dq", "qi", "oth", "k"}


@pytest.fixture(scope="module", params=ALGORITHMS)
def key(request):
    return signing_keys.generate(request.param, f"kid-{request.param}")


def test_the_algorithms_are_those_of_the_contract_rs256_first():
    assert ALGORITHMS == ("RS256", "ES256", "EdDSA")


def test_the_published_half_holds_nothing_private(key):
    published = signing_keys.public_jwk(key)

    assert not PRIVATE_MEMBERS.intersection(published)
    assert published["kid"] == key.kid
    assert published["alg"] == key.alg
    assert published["use"] == "sig"
    assert json.loads(json.dumps(published)) == published


def test_a_stored_key_is_encrypted_and_comes_back_whole(key):
    stored = signing_keys.encrypt_private_key(key, SECRET)

    assert json.loads(key.jwk.export_private())["d"] not in stored
    opened = signing_keys.decrypt_private_key(key.kid, stored, SECRET)
    assert (opened.kid, opened.alg) == (key.kid, key.alg)
    assert opened.jwk.export_private(as_dict=True) == key.jwk.export_private(as_dict=True)


def test_a_stored_key_opens_neither_under_another_secret_nor_under_another_id(key):
    stored = signing_keys.encrypt_private_key(key, SECRET)

    assert signing_keys.decrypt_private_key(key.kid, stored, ServerSecret(b"o" * 32)) is None
    assert signing_keys.decrypt_private_key("other", stored, SECRET) is None
