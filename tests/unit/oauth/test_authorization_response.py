"""Where the answer to an authorization request goes."""

from urllib.parse import parse_qsl, urlsplit

import pytest

from authservice.oauth.authorize.response import (
    AuthorizationRefusedError,
    AuthorizationResponse,
)


@pytest.mark.requirement("RFC6749-3.1.2-3")
def test_the_query_of_the_redirect_uri_is_kept(subtests):
    for redirect_uri, location in (
        ("https://app.example.com/cb", "https://app.example.com/cb?code=x"),
        ("https://app.example.com", "https://app.example.com?code=x"),
        ("https://app.example.com/cb?a=b", "https://app.example.com/cb?a=b&code=x"),
        ("https://app.example.com/cb?a=%20&&", "https://app.example.com/cb?a=%20&&&code=x"),
        ("com.example.app:/cb", "com.example.app:/cb?code=x"),
        ("http://[::1]:1234/cb", "http://[::1]:1234/cb?code=x"),
    ):
        with subtests.test(redirect_uri=redirect_uri, location=location):
            assert AuthorizationResponse(redirect_uri, "query", {"code": "x"}).location == location


@pytest.mark.requirement("RFC6749-10.14-1")
def test_values_survive_the_way_and_cannot_leave_the_query(subtests):
    for state in ("a b", "a&b=c", "é🙂", "\r\nSet-Cookie: x", "#?/", "%41"):
        with subtests.test(state=state):
            location = AuthorizationResponse(
                "https://a.example/", "query", {"state": state}
            ).location

            assert location.isascii()
            assert location.isprintable()
            parts = urlsplit(location)
            assert parts.fragment == ""
            assert parse_qsl(parts.query) == [("state", state)]


def test_a_refusal_carries_its_answer():
    answer = AuthorizationResponse("https://a.example/", "query", {"error": "invalid_scope"})

    error = AuthorizationRefusedError(answer)

    assert error.response is answer
    assert str(error) == "invalid_scope"
