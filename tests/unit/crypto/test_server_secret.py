"""What is derived from the server's secret: bound to a purpose, and still valid in a rotation."""

import json
from base64 import urlsafe_b64encode
from datetime import UTC, datetime, timedelta

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from authservice.crypto.server_secret import ServerSecret, decrypt

OLD, NEW = b"o" * 32, b"n" * 32
NOW = datetime(2030, 1, 1, tzinfo=UTC)


@pytest.fixture
def secret():
    return ServerSecret(NEW)


def test_a_code_holds_for_its_message_and_purpose_only(secret):
    code = secret.mac("session", "message")

    assert len(code) == 43
    assert secret.verify_mac("session", "message", code)
    assert not secret.verify_mac("session", "massage", code)
    assert not secret.verify_mac("companion", "message", code)
    assert not ServerSecret(OLD).verify_mac("session", "message", code)


def test_junk_is_no_code(subtests, secret):
    for code in ("", "x", "A" * 43, "ä" * 43, "\ud800"):
        with subtests.test(code=code):
            assert not secret.verify_mac("session", "message", code)


def test_a_text_opens_for_its_purpose_only(secret):
    sealed = secret.encrypt("state", "plain text ü")

    assert "plain" not in sealed
    assert sealed.replace("-", "").replace("_", "").isalnum()
    assert secret.decrypt("state", sealed) == "plain text ü"
    assert secret.decrypt("interaction", sealed) is None
    assert ServerSecret(OLD).decrypt("state", sealed) is None


def test_the_same_text_is_sealed_differently_each_time(secret):
    assert len({secret.encrypt("state", "text") for _ in range(100)}) == 100


def test_any_altered_character_spoils_a_sealed_text(secret):
    sealed = secret.encrypt("state", "text")

    for position in range(len(sealed)):
        other = "A" if sealed[position] != "A" else "B"
        assert secret.decrypt("state", sealed[:position] + other + sealed[position + 1 :]) is None


def test_junk_opens_to_nothing(subtests, secret):
    for sealed in ("", "A", "AAAA", "A" * 40, "ä", "%%%", "\x00", "\ud800"):
        with subtests.test(sealed=sealed):
            assert secret.decrypt("state", sealed) is None
            assert secret.unseal("state", sealed, NOW) is None


def test_a_key_for_one_label_opens_nothing_under_another():
    assert decrypt(b"k" * 32, "label", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA") is None


def test_a_sealed_value_knows_when_its_time_is_over(secret):
    sealed = secret.seal("interaction", {"a": [1, None]}, NOW)

    before = secret.unseal("interaction", sealed, NOW - timedelta(seconds=1))
    after = secret.unseal("interaction", sealed, NOW)

    assert (before.value, before.expired) == ({"a": [1, None]}, False)
    assert (after.value, after.expired) == ({"a": [1, None]}, True)


def test_a_sealed_value_is_not_a_text_of_another_purpose(secret):
    text = json.dumps({"exp": 9999999999, "val": {"admin": True}})

    assert secret.unseal("interaction", secret.encrypt("state", text), NOW) is None


def test_during_a_rotation_the_secret_before_still_opens_what_it_made():
    before, during, after = ServerSecret(OLD), ServerSecret(NEW, OLD), ServerSecret(NEW)
    code, sealed = before.mac("session", "message"), before.encrypt("state", "text")

    assert during.verify_mac("session", "message", code)
    assert during.decrypt("state", sealed) == "text"
    assert not after.verify_mac("session", "message", code)
    assert after.decrypt("state", sealed) is None


def test_during_a_rotation_new_values_are_made_with_the_new_secret():
    during, after = ServerSecret(NEW, OLD), ServerSecret(NEW)

    assert after.verify_mac("session", "message", during.mac("session", "message"))
    assert after.decrypt("state", during.encrypt("state", "text")) == "text"


def test_during_a_rotation_what_is_opened_is_made_anew_with_the_new_secret():
    during, after = ServerSecret(NEW, OLD), ServerSecret(NEW)
    before, since = ServerSecret(OLD).encrypt("grant", "key"), after.encrypt("grant", "key")

    plain, renewed = during.decrypt_and_renew("grant", before)

    assert (plain, after.decrypt("grant", renewed)) == ("key", "key")
    assert during.decrypt_and_renew("grant", since) == ("key", since)
    assert during.decrypt_and_renew("state", before) is None
    assert after.decrypt_and_renew("grant", before) is None


def test_a_secret_is_not_shown(secret):
    assert "nnnn" not in repr(secret)
    assert "nnnn" not in str(vars(secret))


def test_a_sealed_text_has_one_form_only(subtests, secret):
    for junk in ("=", "\n", "#", " ", "é", "%3d"):
        with subtests.test(junk=junk):
            sealed = secret.encrypt("state", "text")

            for other in (sealed + junk, junk + sealed, sealed[:9] + junk + sealed[9:]):
                assert secret.decrypt("state", other) is None


def test_what_was_sealed_by_earlier_versions_opens():
    nonce = bytes(12)
    sealed = nonce + AESGCM(OLD).encrypt(nonce, b"text", b"label")

    assert decrypt(OLD, "label", urlsafe_b64encode(sealed).rstrip(b"=").decode()) == "text"
