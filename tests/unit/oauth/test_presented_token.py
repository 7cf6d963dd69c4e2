"""How an access token travels."""

import pytest

from authservice.oauth.parameters import USERINFO, Parameters
from authservice.oauth.protocol_answer import ProtocolAnswer, bearer_error_answer
from authservice.oauth.userinfo import presented_token


def form(*tokens):
    return Parameters.read([("access_token", token) for token in tokens], USERINFO)


def test_one_token_in_one_place_is_found(subtests):
    for header, body, token in (
        ("Bearer abc", form(), "abc"),
        ("bearer abc", form(), "abc"),
        ("BEARER   abc  ", form(), "abc"),
        (None, form("abc"), "abc"),
        (None, form("a b"), "a b"),
        ("Bearer abc", form(""), "abc"),
    ):
        with subtests.test(header=header, body=body, token=token):
            assert presented_token(header, body) == token


@pytest.mark.requirement("RFC6750-3-2")
def test_anything_else_is_told_by_status_and_challenge(subtests):
    for header, body, status, error in (
        (None, form(), 401, None),
        ("", form(), 401, None),
        ("Basic abc", form(), 401, None),
        ("Bearerabc", form(), 401, None),
        ("Bearer", form(), 400, "invalid_request"),
        ("Bearer  ", form(), 400, "invalid_request"),
        ("Bearer a b", form(), 400, "invalid_request"),
        ("Bearer abc", form("abc"), 400, "invalid_request"),
        ("Basic abc", form("abc"), 400, "invalid_request"),
        (None, form("abc", "abc"), 400, "invalid_request"),
    ):
        with subtests.test(header=header, body=body, status=status, error=error):
            answer = presented_token(header, body)

            assert isinstance(answer, ProtocolAnswer)
            assert answer.status == status
            challenge = answer.headers["WWW-Authenticate"]
            if error is None:
                assert challenge == 'Bearer realm="authservice"'
                assert (answer.body, answer.content_type) == ("", None)
            else:
                assert challenge.startswith(f'Bearer error="{error}", error_description="')
                assert answer.content_type == "application/json"


@pytest.mark.requirement("RFC6750-3-5")
def test_a_challenge_names_the_scope_that_is_needed():
    answer = bearer_error_answer(403, "insufficient_scope", "Too little.", "openid")

    assert answer.headers["WWW-Authenticate"] == (
        'Bearer error="insufficient_scope", error_description="Too little.", scope="openid"'
    )
