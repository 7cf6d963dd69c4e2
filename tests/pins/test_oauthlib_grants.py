"""What oauthlib's grants do by themselves, and what ours therefore narrow."""

import json
import logging
from configparser import ConfigParser
from pathlib import Path
from types import SimpleNamespace

import pytest
from oauthlib.common import Request
from oauthlib.oauth2.rfc6749 import errors
from oauthlib.oauth2.rfc6749.endpoints import AuthorizationEndpoint, TokenEndpoint
from oauthlib.oauth2.rfc6749.grant_types import AuthorizationCodeGrant, RefreshTokenGrant
from oauthlib.oauth2.rfc6749.grant_types.authorization_code import (
    code_challenge_method_plain,
    code_challenge_method_s256,
)
from oauthlib.oauth2.rfc6749.tokens import BearerToken
from oauthlib.openid import RequestValidator
from oauthlib.openid.connect.core.endpoints import UserInfoEndpoint
from oauthlib.openid.connect.core.grant_types import AuthorizationCodeGrant as OpenIDGrant

ROOT = Path(__file__).parents[2]
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


class Permissive(RequestValidator):
    """Says yes to everything, and notes what it is told."""

    pkce_required = True
    challenge = CHALLENGE
    method = "S256"

    def __init__(self):
        super().__init__()
        self.saved = []
        self.invalidated = []

    def validate_client_id(self, client_id, request, *_a):
        request.client = SimpleNamespace(client_id=client_id)
        return True

    authenticate_client = client_authentication_required = lambda _s, request, *_a: (
        setattr(request, "client", SimpleNamespace(client_id="c")) or True
    )

    def validate_code(self, _client_id, _code, _client, request, *_a):
        request.user, request.scopes = "user", ["openid"]
        return True

    def validate_refresh_token(self, _token, _client, request, *_a):
        request.user = "user"
        return True

    validate_redirect_uri = validate_response_type = validate_scopes = lambda *_a, **_k: True
    validate_grant_type = confirm_redirect_uri = validate_user_match = lambda *_a, **_k: True
    rotate_refresh_token = lambda *_a: True  # noqa: E731
    get_original_scopes = lambda *_a: ["openid", "email"]  # noqa: E731
    get_code_challenge = lambda self, *_a: self.challenge  # noqa: E731
    get_code_challenge_method = lambda self, *_a: self.method  # noqa: E731
    is_pkce_required = lambda self, *_a: self.pkce_required  # noqa: E731

    def save_authorization_code(self, _client_id, code, *_a):
        self.saved.append(code["code"])

    def save_bearer_token(self, token, *_a):
        self.saved.append(dict(token))

    def invalidate_authorization_code(self, _client_id, code, *_a):
        self.invalidated.append(code)


@pytest.fixture
def validator():
    return Permissive()


def _authorize(validator, **changes):
    grant = AuthorizationCodeGrant(validator)
    parameters = {
        "client_id": "c",
        "redirect_uri": "https://a.example/",
        "response_type": "code",
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
    } | changes
    query = "&".join(f"{name}={value}" for name, value in parameters.items() if value is not None)
    endpoint = AuthorizationEndpoint("code", None, {"code": grant})
    return endpoint.create_authorization_response(
        f"https://server/?{query}", scopes=["openid"], credentials={"user": "user"}
    )


def _token(validator, body, grant=AuthorizationCodeGrant):
    bearer = BearerToken(validator, expires_in=3600)
    endpoint = TokenEndpoint("x", bearer, {"authorization_code": grant(validator)})
    endpoint.grant_types["refresh_token"] = RefreshTokenGrant(validator)
    _, text, status = endpoint.create_token_response("https://server/", body=body)
    return status, json.loads(text)


REDEEM = "grant_type=authorization_code&code=the-code&redirect_uri=https://a.example/"
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"


def test_a_pkce_requirement_that_is_not_the_literal_true_is_none(validator):
    validator.pkce_required = 1
    headers, _, status = _authorize(validator, code_challenge=None, code_challenge_method=None)
    assert "code=" in headers["Location"]

    validator.pkce_required = True
    headers, _, status = _authorize(validator, code_challenge=None, code_challenge_method=None)
    assert "error=invalid_request" in headers["Location"]
    assert status == 302


def test_plain_is_accepted_and_is_what_an_omitted_method_means(validator):
    assert "code=" in _authorize(validator, code_challenge_method="plain")[0]["Location"]
    assert "code=" in _authorize(validator, code_challenge_method=None)[0]["Location"]
    assert AuthorizationCodeGrant._code_challenge_methods == {
        "plain": code_challenge_method_plain,
        "S256": code_challenge_method_s256,
    }


@pytest.mark.parametrize("challenge", ["x", "x" * 500, "%20"])
def test_a_challenge_of_any_form_is_accepted(validator, challenge):
    assert "code=" in _authorize(validator, code_challenge=challenge)[0]["Location"]


def test_a_challenge_that_is_not_ascii_breaks_the_comparison():
    with pytest.raises(TypeError):
        code_challenge_method_s256(VERIFIER, "ä" * 43)


def test_a_code_survives_a_wrong_verifier(validator):
    status, answer = _token(validator, f"{REDEEM}&code_verifier=wrong")

    assert (status, answer["error"]) == (400, "invalid_grant")
    assert validator.invalidated == []


def test_a_code_is_invalidated_after_the_tokens_were_saved(validator):
    status, _ = _token(validator, f"{REDEEM}&code_verifier={VERIFIER}")

    assert status == 200
    assert len(validator.saved) == 1
    assert validator.invalidated == ["the-code"]


def test_a_response_type_need_only_contain_code(validator):
    assert "code=" in _authorize(validator, response_type="barcode")[0]["Location"]


def test_form_post_becomes_query_and_fragment_is_obeyed(validator):
    assert "/?code=" in _authorize(validator, response_mode="form_post")[0]["Location"]
    assert "/#code=" in _authorize(validator, response_mode="fragment")[0]["Location"]


def test_an_error_carries_no_issuer(validator):
    location = _authorize(validator, code_challenge=None)[0]["Location"]

    assert "error=" in location
    assert "iss=" not in location


def test_a_script_passes_for_a_redirect_uri(validator):
    location = _authorize(validator, redirect_uri="javascript:alert(1)")[0]["Location"]

    assert location.startswith("javascript:alert(1)")


def test_a_redirect_uri_that_is_not_the_clients_is_fatal(validator):
    validator.validate_redirect_uri = lambda *_a: False
    request = Request("https://server/?client_id=c&redirect_uri=https://a.example/")

    with pytest.raises(errors.FatalClientError):
        AuthorizationCodeGrant(validator)._handle_redirects(request)


def test_a_scope_that_was_left_out_is_asked_for(validator):
    validator.get_default_scopes = lambda *_a: ["openid"]
    request = Request("https://server/?client_id=c")

    AuthorizationCodeGrant(validator).validate_scopes(request)

    assert request.scopes == ["openid"]


def test_userinfo_takes_a_token_that_stands_beside_the_headers(validator):
    validator.validate_bearer_token = lambda token, *_a: token == "the token"
    request = SimpleNamespace(headers={}, access_token="the token", scopes=["openid"])

    UserInfoEndpoint(validator).validate_userinfo_request(request)

    request.access_token = "another"
    with pytest.raises(errors.InvalidTokenError):
        UserInfoEndpoint(validator).validate_userinfo_request(request)


def test_a_refresh_token_is_issued_without_being_asked_for(validator):
    _, answer = _token(validator, f"{REDEEM}&code_verifier={VERIFIER}")

    assert "refresh_token" in answer


def test_no_hook_ends_the_old_refresh_token(validator):
    status, answer = _token(validator, "grant_type=refresh_token&refresh_token=the-old-one")

    assert status == 200
    assert answer["refresh_token"] != "the-old-one"
    # What is saved does not name the token before it, and no other hook is called.
    assert "the-old-one" not in str(validator.saved)
    assert validator.invalidated == []


def test_a_narrowed_scope_reaches_the_saved_tokens(validator):
    _token(validator, "grant_type=refresh_token&refresh_token=old&scope=openid")

    assert validator.saved[0]["scope"] == "openid"


def test_an_openid_grant_reads_through_to_the_inner_grant_but_does_not_write(validator):
    grant = OpenIDGrant(validator)

    grant._code_challenge_methods = {"S256": None}
    grant.refresh_token = False

    assert grant.proxy_target._code_challenge_methods.keys() == {"plain", "S256"}
    assert grant.proxy_target.refresh_token is False


def test_a_wrong_method_is_raised_instead_of_answered(validator):
    endpoint = TokenEndpoint("x", BearerToken(validator), {})

    with pytest.raises(errors.InvalidRequestError):
        endpoint.create_token_response("https://server/?code=1", body="x=1")


def test_at_debug_level_codes_and_tokens_are_logged(validator, caplog):
    with caplog.at_level(logging.DEBUG, logger="oauthlib"):
        _authorize(validator)
        _, answer = _token(validator, "grant_type=refresh_token&refresh_token=the-old-one")

    assert validator.saved[0] in caplog.text
    assert answer["access_token"] in caplog.text


def test_at_the_level_of_our_ini_files_nothing_is_logged(validator, caplog):
    with caplog.at_level(logging.WARNING, logger="oauthlib"):
        _authorize(validator)
        _token(validator, "grant_type=refresh_token&refresh_token=the-old-one")

    assert caplog.text == ""


@pytest.mark.parametrize("name", ["local.ini", "development.ini", "production.ini"])
def test_every_ini_file_keeps_oauthlib_at_that_level(name):
    ini = ConfigParser(interpolation=None)
    ini.read(ROOT / name)

    assert ini["logger_oauthlib"]["qualname"] == "oauthlib"
    assert ini["logger_oauthlib"]["level"] == "WARNING"
    assert "oauthlib" in ini["loggers"]["keys"]
