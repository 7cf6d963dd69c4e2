"""The checks of an authorization request, each by itself."""

import pytest
from oauthlib.oauth2.rfc6749.errors import OAuth2Error

from authservice.oauth import pkce
from authservice.oauth.authorize import checks
from authservice.oauth.parameters import AUTHORIZE, Parameters

CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
PKCE = {"code_challenge": CHALLENGE, "code_challenge_method": "S256"}


def error_of(check, sent):
    """Return the error code with which a check refuses parameters, None if it does not."""
    try:
        check(Parameters.read(sent.items(), AUTHORIZE))
    except OAuth2Error as error:
        return error.error
    return None


def test_what_is_accepted_and_what_is_refused(subtests):
    for check, sent, error in (
        (checks.refuse_request_objects, {}, None),
        (checks.refuse_request_objects, {"request": "x"}, "request_not_supported"),
        (checks.refuse_request_objects, {"request_uri": "x"}, "request_uri_not_supported"),
        (checks.response_mode, {}, None),
        (checks.response_mode, {"response_mode": "query"}, None),
        (checks.response_mode, {"response_mode": "form_post"}, None),
        (checks.response_mode, {"response_mode": "fragment"}, "invalid_request"),
        (checks.response_type, {"response_type": "code"}, None),
        (checks.response_type, {}, "invalid_request"),
        (checks.response_type, {"response_type": "token"}, "unsupported_response_type"),
        (checks.response_type, {"response_type": "code token"}, "unsupported_response_type"),
        (checks.prompt, {}, None),
        (checks.prompt, {"prompt": "none"}, None),
        (checks.prompt, {"prompt": "login consent select_account"}, None),
        (checks.prompt, {"prompt": "none login"}, "invalid_request"),
        (checks.prompt, {"prompt": "create"}, "invalid_request"),
        (checks.max_age, {}, None),
        (checks.max_age, {"max_age": "0"}, None),
        (checks.max_age, {"max_age": "999999999"}, None),
        (checks.max_age, {"max_age": "1000000000"}, "invalid_request"),
        (checks.max_age, {"max_age": "-1"}, "invalid_request"),
    ):
        with subtests.test(check=check, sent=sent, error=error):
            assert error_of(check, sent) == error


def test_pkce_is_demanded_with_s256(subtests):
    for changes, error in (
        ({}, None),
        ({"code_challenge": "a" * 43}, None),
        ({"code_challenge": "a" * 128}, None),
        ({"code_challenge": "aB0-._~" * 7}, None),
        ({"code_challenge": "a" * 42}, "invalid_request"),
        ({"code_challenge": "a" * 129}, "invalid_request"),
        ({"code_challenge": f"{CHALLENGE}="}, "invalid_request"),
        ({"code_challenge": ""}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge_method": ""}, "invalid_request"),
    ):
        with subtests.test(changes=changes, error=error):
            assert error_of(pkce.check_challenge, PKCE | changes) == error


def test_a_repeated_parameter_is_refused():
    sent = Parameters.read([("state", "1"), ("state", "2")], AUTHORIZE)

    with pytest.raises(OAuth2Error, match=r"state\."):
        sent.refuse_repeated()
