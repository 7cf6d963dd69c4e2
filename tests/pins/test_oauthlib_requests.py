"""What oauthlib does with parameters, and why it is given only a strict list of them."""

import pytest
from oauthlib.common import Request, extract_params
from oauthlib.oauth2.rfc6749.utils import scope_to_list


def _request(query="", body=None):
    return Request(f"https://server/?{query}", http_method="POST", body=body, headers={})


@pytest.mark.parametrize("name", ["user", "client", "scopes", "client_secret"])
def test_any_parameter_becomes_an_attribute_of_the_request(name):
    assert getattr(_request(f"{name}=evil"), name) == "evil"


def test_a_body_parameter_wins_over_the_query():
    assert _request("code=query", "code=body").code == "body"


def test_of_a_repeated_parameter_the_last_one_wins():
    request = _request("nonce=first&nonce=last")

    assert request.nonce == "last"
    assert request.duplicate_params == ["nonce"]


def test_a_mapping_hides_that_a_parameter_was_repeated():
    pairs = [("nonce", "first"), ("nonce", "last")]

    assert dict(extract_params(dict(pairs)))["nonce"] == "last"
    assert len(extract_params(dict(pairs))) == 1


@pytest.mark.parametrize("query", ["a=|", "a={}", "a=ä"])
def test_characters_that_browsers_leave_alone_are_an_error(query):
    with pytest.raises(ValueError, match="invalid"):
        _request(query)


def test_one_such_character_makes_a_whole_body_vanish():
    assert _request(body="grant_type=authorization_code&state=|").decoded_body is None


def test_a_blank_parameter_counts_as_present():
    assert _request("code_challenge=&nonce=").code_challenge == ""
    assert "nonce" in dict(_request("code_challenge=&nonce=").uri_query_params)


def test_a_doubled_space_makes_an_empty_scope():
    assert scope_to_list("openid  email") == ["openid", "", "email"]
    assert scope_to_list("") == [""]
