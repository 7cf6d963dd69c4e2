"""What we ask the code-hosting provider, and what we make of its answers."""

from urllib.parse import parse_qs, urlsplit

import pytest

from authservice.identity_provider import SignInFailedError
from authservice.services.people.users import Profile
from tests.helpers.standin_fixture import CALLBACK_URL

# The example of RFC 7636, appendix B.
RFC_VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
RFC_CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


def test_the_authorization_request_is_complete(sign_in, identity_provider_standin):
    address = sign_in.provider.authorization_url("the state&more", RFC_VERIFIER)

    parts = urlsplit(address)
    assert address.startswith(f"{identity_provider_standin.authorize_url}?")
    assert parse_qs(parts.query) == {
        "response_type": ["code"],
        "client_id": [identity_provider_standin.client_id],
        "redirect_uri": [CALLBACK_URL],
        "scope": ["read:user user:email"],
        "state": ["the state&more"],
        "code_challenge": [RFC_CHALLENGE],
        "code_challenge_method": ["S256"],
    }


def test_it_is_told_to_let_a_person_choose_only_when_it_should(subtests, sign_in):
    for choose, prompt in ((True, ["select_account"]), (False, None)):
        with subtests.test(choose=choose):
            url = sign_in.provider.authorization_url("state", "v" * 43, choose_account=choose)

            assert parse_qs(urlsplit(url).query).get("prompt") == prompt


def test_the_provider_is_called_github_unless_it_has_an_id_of_its_own(make_sign_in):
    enterprise = make_sign_in(
        id="ghe", authorize_url="https://ghe.example.com/login/oauth/authorize"
    ).provider

    assert (enterprise.id, enterprise.name) == ("ghe", "ghe.example.com")
    assert make_sign_in().provider.name == "GitHub"


def test_the_profile_says_who_signed_in(sign_in):
    assert sign_in.profile() == Profile(
        provider_id="github",
        account_id="583231",
        name="Mona Lisa",
        email="mona@example.com",
        email_verified=True,
        image="https://avatars.githubusercontent.com/u/583231?v=4",
        scope="read:user user:email",
        username="octocat",
        primary_email="mona@example.com",
    )


def test_the_token_request_carries_what_proves_the_code_is_ours(sign_in, identity_provider_standin):
    code = sign_in.code()
    sign_in.provider.profile(code, sign_in.verifier)

    [request] = identity_provider_standin.requests("/login/oauth/access_token")
    assert request["method"] == "POST"
    assert request["query"] == {}
    assert request["headers"]["Accept"] == "application/json"
    assert request["form"] == {
        "grant_type": "authorization_code",
        "client_id": identity_provider_standin.client_id,
        "client_secret": identity_provider_standin.client_secret,
        "code": code,
        "code_verifier": sign_in.verifier,
        "redirect_uri": CALLBACK_URL,
    }


def test_the_api_gets_the_headers_it_demands(subtests, sign_in, identity_provider_standin):
    sign_in.profile()

    for path in ("/api/user", "/api/user/emails"):
        with subtests.test(path=path):
            [request] = identity_provider_standin.requests(path)
            headers = request["headers"]
            assert headers["Authorization"].startswith("Bearer gho_")
            assert headers["Accept"] == "application/vnd.github+json"
            assert headers["X-GitHub-Api-Version"] == "2022-11-28"
            assert headers["User-Agent"] == "authservice"


def test_a_code_works_once(sign_in):
    code = sign_in.code()
    sign_in.provider.profile(code, sign_in.verifier)

    with pytest.raises(SignInFailedError, match="bad_verification_code") as failure:
        sign_in.provider.profile(code, sign_in.verifier)

    assert failure.value.code == "invalid_code"


def test_a_code_works_for_ten_minutes(sign_in, identity_provider_standin):
    code = sign_in.code()
    identity_provider_standin.advance(601)

    with pytest.raises(SignInFailedError, match="bad_verification_code"):
        sign_in.provider.profile(code, sign_in.verifier)


def test_a_code_needs_the_verifier_of_its_request(sign_in):
    with pytest.raises(SignInFailedError, match="bad_verification_code"):
        sign_in.provider.profile(sign_in.code(), RFC_VERIFIER)


def test_a_wrong_client_secret_is_named_in_the_log_text(sign_in, identity_provider_standin):
    code = sign_in.code()
    identity_provider_standin.application(client_secret="another")

    with pytest.raises(SignInFailedError, match="incorrect_client_credentials") as failure:
        sign_in.provider.profile(code, sign_in.verifier)

    assert failure.value.code == "invalid_code"


def test_no_secret_reaches_a_log_an_error_or_a_repr(
    sign_in, make_sign_in, identity_provider_standin, caplog
):
    caplog.set_level("DEBUG")
    first, second = sign_in.code(), sign_in.code()
    sign_in.provider.profile(first, sign_in.verifier)
    identity_provider_standin.fault("/api/user", "reset")
    with pytest.raises(SignInFailedError) as failure:
        sign_in.provider.profile(second, sign_in.verifier)

    said = caplog.text + str(failure.value) + repr(vars(sign_in.provider))
    tokens = [
        request["headers"]["Authorization"].removeprefix("Bearer ")
        for request in identity_provider_standin.requests("/api/user")
    ]
    assert len(tokens) == 2
    assert failure.value.__cause__ is None
    for secret in [
        first,
        second,
        sign_in.verifier,
        identity_provider_standin.client_secret,
        *tokens,
    ]:
        assert secret not in said
