"""A provider that is down, slow or talks nonsense: a bounded wait, and an error that says which."""

import json
from dataclasses import replace

import pytest

from authservice.httpclient import Headers, Response
from authservice.identity_provider import SignInFailedError
from authservice.identity_provider.token_answer import bearer_token

TOKEN, USER, EMAILS = "/login/oauth/access_token", "/api/user", "/api/user/emails"
OUTAGES = [
    "500",
    "502",
    "reset",
    "truncated",
    "huge",
    "redirect",
    "rate_limited",
    "secondary_limit",
]
NONSENSE = ["not_json", "deep", "empty", "text"]


def failure(sign_in, code):
    with pytest.raises(SignInFailedError) as caught:
        sign_in.provider.profile(code, sign_in.verifier)
    return caught.value.code


@pytest.mark.parametrize("path", [TOKEN, USER])
@pytest.mark.parametrize("kind", OUTAGES)
def test_an_outage_is_told_apart_from_a_refusal(sign_in, identity_provider_standin, path, kind):
    code = sign_in.code()
    identity_provider_standin.fault(path, kind)

    assert failure(sign_in, code) == "provider_unavailable"


@pytest.mark.parametrize("kind", [*OUTAGES, *NONSENSE])
def test_an_account_is_somebody_without_an_answer_to_the_question_for_addresses(
    sign_in, identity_provider_standin, kind
):
    known = sign_in.profile()
    code = sign_in.code()
    identity_provider_standin.fault(EMAILS, kind)

    profile = sign_in.provider.profile(code, sign_in.verifier)

    assert profile == replace(
        known,
        email=None,
        email_verified=False,
        primary_email=None,
        scope=None,
        addresses_unread=True,
    )


def test_slow_addresses_are_given_up(make_sign_in, identity_provider_standin):
    sign_in = make_sign_in(patience=1.0)
    code = sign_in.code()
    identity_provider_standin.fault(EMAILS, "slow")

    assert sign_in.provider.profile(code, sign_in.verifier).addresses_unread


@pytest.mark.parametrize("path", [TOKEN, USER])
@pytest.mark.parametrize("kind", ["slow", "drip"])
def test_a_slow_provider_is_given_up(make_sign_in, identity_provider_standin, path, kind):
    sign_in = make_sign_in(patience=1.0)
    code = sign_in.code()
    identity_provider_standin.fault(path, kind)

    assert failure(sign_in, code) == "provider_unavailable"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (TOKEN, "invalid_code"),
        (USER, "unable_to_get_user_info"),
    ],
)
@pytest.mark.parametrize("kind", NONSENSE)
def test_nonsense_is_refused(sign_in, identity_provider_standin, path, expected, kind):
    code = sign_in.code()
    identity_provider_standin.fault(path, kind)

    assert failure(sign_in, code) == expected


@pytest.mark.parametrize("kind", ["500", "502", "reset", "truncated", "slow", "drip", "429"])
def test_a_provider_that_is_away_does_not_answer(make_sign_in, identity_provider_standin, kind):
    identity_provider_standin.fault("/login/oauth/authorize", kind)

    with pytest.raises(SignInFailedError) as caught:
        make_sign_in(patience=1.0).provider.require_answer()

    assert caught.value.code == "provider_unavailable"


@pytest.mark.parametrize("kind", [None, "redirect", "404", "not_json"])
def test_whatever_its_page_says_a_provider_that_is_there_answers(
    sign_in, identity_provider_standin, kind
):
    if kind is not None:
        identity_provider_standin.fault("/login/oauth/authorize", kind)

    sign_in.provider.require_answer()


def test_a_provider_that_nobody_runs_is_unavailable(make_sign_in, identity_provider_standin):
    sign_in = make_sign_in(token_url="http://127.0.0.1:1/login/oauth/access_token")

    assert failure(sign_in, "code") == "provider_unavailable"


@pytest.mark.attack("BROWSER-ssrf")
def test_the_code_and_the_secret_follow_no_redirect(sign_in, identity_provider_standin):
    code = sign_in.code()
    identity_provider_standin.fault(TOKEN, "redirect")
    failure(sign_in, code)

    assert identity_provider_standin.requests("/elsewhere") == []


def test_no_question_is_begun_when_no_time_is_left(sign_in, make_sign_in, monkeypatch):
    code = sign_in.code()
    moments = iter([0.0, 6.9, 7.1])
    monkeypatch.setattr(
        "authservice.identity_provider.provider_calls.monotonic", lambda: next(moments)
    )

    assert failure(sign_in, code) == "provider_unavailable"
    asked = [request["path"] for request in sign_in.standin.requests()]
    assert asked == ["/login/oauth/authorize", TOKEN]


def test_an_api_that_does_not_know_us_gives_no_user_info(make_sign_in):
    sign_in = make_sign_in(api_url=make_sign_in().standin.url + "/nowhere")

    assert failure(sign_in, sign_in.code()) == "unable_to_get_user_info"


def test_a_refused_token_gives_no_user_info(sign_in, identity_provider_standin):
    code = sign_in.code()
    identity_provider_standin.fault(USER, "forbidden")

    assert failure(sign_in, code) == "unable_to_get_user_info"


def test_the_provider_works_again_after_an_outage(sign_in, identity_provider_standin):
    code = sign_in.code()
    identity_provider_standin.fault(USER, "reset")
    failure(sign_in, code)
    identity_provider_standin.reset()

    assert sign_in.profile().account_id == "583231"


def test_an_answer_that_is_no_bearer_token_is_refused(subtests):
    for status, content, expected in (
        (200, {"error": "bad_verification_code", "access_token": "t"}, "invalid_code"),
        (200, {"error": "unverified_user_email"}, "email_not_verified"),
        (200, {"error": "", "access_token": "t", "token_type": "bearer"}, "invalid_code"),
        (404, {"error": "Not Found"}, "invalid_code"),
        (400, {"access_token": "t", "token_type": "bearer"}, "invalid_code"),
        (200, {}, "invalid_code"),
        (200, [], "invalid_code"),
        (200, {"access_token": "", "token_type": "bearer"}, "invalid_code"),
        (200, {"access_token": None, "token_type": "bearer"}, "invalid_code"),
        (200, {"access_token": "a\r\nb", "token_type": "bearer"}, "invalid_code"),
        (200, {"access_token": "t", "token_type": "mac"}, "invalid_code"),
        (200, {"access_token": "t"}, "invalid_code"),
    ):
        with subtests.test(status=status, content=content, expected=expected):
            answer = Response(status, json.dumps(content).encode(), Headers())

            with pytest.raises(SignInFailedError) as caught:
                bearer_token(answer)

            assert caught.value.code == expected


@pytest.mark.attack("BROWSER-log-injection")
def test_an_error_of_the_provider_cannot_forge_the_log():
    content = json.dumps({"error": "bad\nINFO all is well"}).encode()

    with pytest.raises(SignInFailedError) as caught:
        bearer_token(Response(200, content, Headers()))

    assert "\n" not in str(caught.value)
