"""Parameters: listed ones only, blank ones as if not sent, repeated ones known as such."""

from urllib.parse import parse_qsl

import pytest

from authservice.oauth.parameters import AUTHORIZE, TOKEN, USERINFO, Parameters

ALLOWED = frozenset({"a", "b"})


@pytest.mark.requirement("RFC6749-3.1-5", "OAUTH21-3.1-1")
@pytest.mark.parametrize(
    ("pairs", "values", "repeated"),
    [
        ([], {}, set()),
        ([("a", "1"), ("b", "2")], {"a": "1", "b": "2"}, set()),
        ([("a", "1"), ("c", "3")], {"a": "1"}, set()),
        ([("c", "1"), ("c", "2")], {}, set()),
        ([("a", "")], {}, set()),
        ([("a", ""), ("a", "1"), ("a", "")], {"a": "1"}, set()),
        ([("a", "1"), ("a", "1")], {"a": "1"}, {"a"}),
        ([("a", "1"), ("b", "2"), ("a", "3"), ("b", "4")], {"a": "1", "b": "2"}, {"a", "b"}),
        ([("A", "1")], {}, set()),
        ([("a", " ")], {"a": " "}, set()),
    ],
)
def test_what_is_read(pairs, values, repeated):
    found = Parameters.read(pairs, ALLOWED)

    assert found.values == values
    assert found.repeated == repeated


def test_a_parameter_that_was_not_sent_is_none():
    found = Parameters.read([("a", "1")], ALLOWED)

    assert (found.get("a"), found.get("b")) == ("1", None)


def test_encoding_and_reading_again_changes_nothing():
    values = {"a": "x y+&=%é🙂{}|", "b": "\t"}
    found = Parameters.read(values.items(), ALLOWED)

    assert found.encoded().isascii()
    assert Parameters.read(parse_qsl(found.encoded()), ALLOWED).values == values


@pytest.mark.parametrize("name", ["user", "client", "scopes", "user_id", "credentials"])
def test_nothing_reaches_oauthlib_that_it_would_take_for_its_own(name):
    assert name not in AUTHORIZE | TOKEN | USERINFO


@pytest.mark.parametrize("name", ["response_type", "nonce", "state"])
def test_a_token_request_takes_nothing_of_an_authorization_request(name):
    assert name not in TOKEN
