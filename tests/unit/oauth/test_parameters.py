"""Parameters: listed ones only, blank ones as if not sent, repeated ones known as such."""

from urllib.parse import parse_qsl

import pytest

from authservice.oauth.parameters import (
    AUTHORIZE,
    END_SESSION,
    TOKEN,
    TOKEN_ACTION,
    USERINFO,
    Parameters,
)

ALLOWED = frozenset({"a", "b"})


@pytest.mark.requirement("RFC6749-3.1-5", "OAUTH21-3.1-1")
def test_what_is_read(subtests):
    for pairs, values, repeated in (
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
    ):
        with subtests.test(pairs=pairs, values=values, repeated=repeated):
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


def test_nothing_reaches_oauthlib_that_it_would_take_for_its_own(subtests):
    for name in ("user", "client", "scopes", "user_id", "credentials"):
        with subtests.test(name=name):
            assert name not in AUTHORIZE | TOKEN | USERINFO


@pytest.mark.parametrize("name", ["response_type", "nonce", "state"])
def test_a_token_request_takes_nothing_of_an_authorization_request(name):
    assert name not in TOKEN


def test_each_endpoint_takes_what_its_standard_lists(subtests):
    for allowed, names in (
        (
            AUTHORIZE,
            """response_type client_id redirect_uri scope state response_mode code_challenge
                code_challenge_method nonce display prompt max_age ui_locales claims_locales
                id_token_hint login_hint acr_values claims request request_uri""",
        ),
        (
            TOKEN,
            """client_id client_secret client_assertion client_assertion_type grant_type code
                redirect_uri code_verifier refresh_token scope""",
        ),
        (USERINFO, "access_token"),
        (
            TOKEN_ACTION,
            """client_id client_secret client_assertion client_assertion_type token
                token_type_hint""",
        ),
        (
            END_SESSION,
            "id_token_hint post_logout_redirect_uri state client_id logout_hint ui_locales",
        ),
    ):
        with subtests.test(allowed=allowed, names=names):
            everything = (
                AUTHORIZE | TOKEN | USERINFO | TOKEN_ACTION | END_SESSION | {*names.split()}
            )

            found = Parameters.read([(name, "x") for name in sorted(everything)], allowed)

            assert found.values.keys() == set(names.split())


def test_resources_are_kept_once_each_and_in_their_order():
    pairs = [("resource", "b"), ("resource", ""), ("resource", "a"), ("resource", "b")]

    found = Parameters.read([*pairs, ("a", "1")], ALLOWED)

    assert (found.resources, found.repeated) == (("b", "a"), frozenset())
    assert found.encoded() == "a=1&resource=b&resource=a"
