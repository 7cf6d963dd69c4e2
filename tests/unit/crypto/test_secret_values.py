"""Random values, and the digest under which they are stored."""

import base64
import hashlib
import re
from collections import Counter

import pytest

from authservice.crypto import secret_values


@pytest.mark.attack("RFC6819-4.6.3")
@pytest.mark.requirement("RFC6749-10.3-1", "RFC6749-10.10-1")
def test_ids_and_tokens_have_their_published_lengths_and_alphabet():
    for _ in range(200):
        assert re.fullmatch(r"[A-Za-z0-9]{32}", secret_values.random_id())
        assert re.fullmatch(r"[A-Za-z0-9]{43}", secret_values.random_token())


def test_a_text_has_the_length_that_was_asked_for(subtests):
    for length in (0, 1, 31, 500, 5000):
        with subtests.test(length=length):
            assert len(secret_values.random_text(length)) == length


@pytest.mark.attack("OWASP-SESSION-1")
@pytest.mark.requirement("RFC6749-10.3-1")
def test_no_two_values_are_alike():
    assert len({secret_values.random_token() for _ in range(2000)}) == 2000


@pytest.mark.attack("RFC6819-4.5.3")
@pytest.mark.requirement("RFC6749-10.10-1")
def test_every_character_is_equally_likely():
    counts = Counter(secret_values.random_text(62 * 5000))

    assert len(counts) == 62
    # The standard deviation is 70; a byte taken modulo 62 would put eight characters at +25 %.
    assert max(abs(count - 5000) for count in counts.values()) < 500


def test_a_digest_is_the_sha256_in_base64url():
    expected = base64.urlsafe_b64encode(hashlib.sha256(b"token").digest()).decode().rstrip("=")

    assert secret_values.digest("token") == expected
    assert len(expected) == 43


def test_text_that_no_one_issued_can_be_digested_and_compared_too():
    assert secret_values.digest("\ud800") != secret_values.digest("ä")
    assert secret_values.equal("\ud800", "\ud800")
    assert not secret_values.equal("ä", "a")
