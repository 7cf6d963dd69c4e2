"""A provider that is down, slow or talks nonsense: a bounded wait, and an error that says which."""

import json
from dataclasses import replace
from itertools import product

import pytest

from authservice.httpclient import Headers, Response
from authservice.identity_provider import SignInFailedError
from authservice.identity_provider.code_hosting import bearer_token

AUTHORIZE, TOKEN = "/login/oauth/authorize", "/login/oauth/access_token"
USER, EMAILS = "/api/user", "/api/user/emails"
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


def failure_at(sign_in, path, kind):
    code = sign_in.code()
    with sign_in.standin.failing(path, kind):
        return failure(sign_in, code)


def test_an_outage_is_told_apart_from_a_refusal(subtests, make_sign_in):
    for path, kind in product((TOKEN, USER), OUTAGES):
        with subtests.test(path=path, kind=kind):
            assert failure_at(make_sign_in(), path, kind) == "provider_unavailable"


def test_an_account_is_somebody_without_an_answer_to_the_question_for_addresses(
    subtests, make_sign_in, identity_provider_standin
):
    expected = replace(
        make_sign_in().profile(),
        email=None,
        email_verified=False,
        primary_email=None,
        scope=None,
        addresses_unread=True,
    )

    for kind in (*OUTAGES, *NONSENSE):
        with subtests.test(kind=kind), identity_provider_standin.failing(EMAILS, kind):
            assert make_sign_in().profile() == expected


def test_slow_addresses_are_given_up(make_sign_in, identity_provider_standin):
    sign_in = make_sign_in(patience=1.0)
    code = sign_in.code()
    identity_provider_standin.fault(EMAILS, "slow")

    assert sign_in.provider.profile(code, sign_in.verifier).addresses_unread


def test_a_slow_provider_is_given_up(subtests, make_sign_in):
    for path, kind in product((TOKEN, USER), ("slow", "drip")):
        with subtests.test(path=path, kind=kind):
            assert failure_at(make_sign_in(patience=1.0), path, kind) == "provider_unavailable"


def test_nonsense_is_refused(subtests, make_sign_in):
    for path, expected in ((TOKEN, "invalid_code"), (USER, "unable_to_get_user_info")):
        for kind in NONSENSE:
            with subtests.test(path=path, kind=kind):
                assert failure_at(make_sign_in(), path, kind) == expected


def test_a_provider_that_is_away_does_not_answer(subtests, make_sign_in, identity_provider_standin):
    for kind in ("500", "502", "reset", "truncated", "slow", "drip", "429"):
        with subtests.test(kind=kind), identity_provider_standin.failing(AUTHORIZE, kind):
            with pytest.raises(SignInFailedError) as caught:
                make_sign_in(patience=1.0).provider.require_answer()

            assert caught.value.code == "provider_unavailable"


def test_whatever_its_page_says_a_provider_that_is_there_answers(
    subtests, make_sign_in, identity_provider_standin
):
    for kind in ("redirect", "404", "not_json"):
        with subtests.test(kind=kind), identity_provider_standin.failing(AUTHORIZE, kind):
            make_sign_in().provider.require_answer()

    make_sign_in().provider.require_answer()


def test_a_provider_that_nobody_runs_is_unavailable(make_sign_in, identity_provider_standin):
    sign_in = make_sign_in(token_url="http://127.0.0.1:1/login/oauth/access_token")

    assert failure(sign_in, "code") == "provider_unavailable"


@pytest.mark.attack("BROWSER-ssrf")
def test_the_code_and_the_secret_follow_no_redirect(sign_in, identity_provider_standin):
    failure_at(sign_in, TOKEN, "redirect")

    assert identity_provider_standin.requests("/elsewhere") == []


def test_no_question_is_begun_when_no_time_is_left(sign_in, make_sign_in, monkeypatch):
    code = sign_in.code()
    moments = iter([0.0, 6.9, 7.1])
    monkeypatch.setattr(
        "authservice.identity_provider.provider_calls.monotonic", lambda: next(moments)
    )

    assert failure(sign_in, code) == "provider_unavailable"
    paths = [request["path"] for request in sign_in.standin.requests()]
    assert paths == [AUTHORIZE, TOKEN]


def test_an_api_that_does_not_know_us_gives_no_user_info(make_sign_in):
    sign_in = make_sign_in(api_url=make_sign_in().standin.url + "/nowhere")

    assert failure(sign_in, sign_in.code()) == "unable_to_get_user_info"


def test_a_refused_token_gives_no_user_info(sign_in):
    assert failure_at(sign_in, USER, "forbidden") == "unable_to_get_user_info"


def test_the_provider_works_again_after_an_outage(sign_in):
    failure_at(sign_in, USER, "reset")

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
