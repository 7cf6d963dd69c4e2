"""GET token: the session as a JWT, checked with a library that the service does not use."""

import pytest
from joserfc.jws import extract_compact

from tests.helpers.browser import ORIGIN
from tests.helpers.published_keys import decoded
from tests.helpers.relying_party import USERINFO

PATH = "/api/auth/token"


@pytest.fixture
def signed_in(browser):
    browser.sign_in()
    return browser


@pytest.fixture
def token(signed_in):
    return signed_in.get(PATH).json["token"]


@pytest.mark.story("session_token")
def test_it_says_who_is_signed_in_for_fifteen_minutes(signed_in, token, turnable_clock):
    token = signed_in.get(PATH).json["token"]

    header, claims = decoded(token, signed_in)

    assert (header["typ"], header["alg"]) == ("session+jwt", "RS256")
    now = int(turnable_clock.moment.timestamp())
    assert claims == signed_in.session()["user"] | {
        "iss": ORIGIN,
        "aud": ORIGIN,
        "sub": "local-developer",
        "iat": now,
        "exp": now + 15 * 60,
    }


@pytest.mark.attack("TOKENS-session-jwt")
def test_it_may_be_for_one_application_only(subtests, signed_in):
    shop, app = "http://shop.localhost:3000", "http://app.localhost:3000"
    for audiences, origin, told in (
        ([shop], None, shop),
        ([shop], shop, shop),
        ([ORIGIN], None, ORIGIN),
        ([""], shop, ORIGIN),
        ([shop], app, None),
        ([shop], "null", None),
        ([shop, app], None, None),
        ([shop, shop], None, None),
        ([f"{shop}/"], None, None),
        (["https://evil.example"], None, None),
        (["https://evil.example"], "https://evil.example", None),
        (["ä"], None, None),
    ):
        with subtests.test(audiences=audiences, origin=origin):
            answer = signed_in.get(
                PATH,
                [("audience", each) for each in audiences],
                headers={} if origin is None else {"Origin": origin},
                expect_errors=True,
            )
            if told is None:
                assert (answer.status_int, answer.json["code"]) == (403, "INVALID_AUDIENCE")
            else:
                assert decoded(answer.json["token"], signed_in)[1]["aud"] == told


def test_it_is_not_stored_and_holds_no_secret_of_the_session(signed_in):
    answer = signed_in.get(PATH)

    assert answer.headers["Cache-Control"] == "no-store"
    assert set(answer.json) == {"token"}
    claims = extract_compact(answer.json["token"].encode()).payload.decode()
    assert signed_in.cookies["authservice.session_token"].split(".")[0] not in claims


def test_asking_for_it_extends_a_session_that_is_due(signed_in, turnable_clock):
    turnable_clock.advance(days=6)
    signed_in.get(PATH)
    turnable_clock.advance(days=6)

    assert signed_in.session() is not None


def test_after_a_sign_out_there_is_none(signed_in):
    signed_in.post_json("/api/auth/sign-out", {}, headers={"Origin": ORIGIN})

    answer = signed_in.get(PATH, expect_errors=True)

    assert answer.status_int == 401
    assert answer.json == {"message": "Unauthorized", "code": "UNAUTHORIZED"}


@pytest.mark.attack("TOKENS-session-jwt", "FAILURES-11")
def test_it_is_no_access_token(browser, token):
    headers = {"Authorization": f"Bearer {token}"}
    in_header = browser.get(USERINFO, headers=headers, expect_errors=True)
    in_body = browser.post(USERINFO, {"access_token": token}, expect_errors=True)

    for answer in (in_header, in_body):
        assert answer.status_int == 401
        assert answer.json["error"] == "invalid_token"


@pytest.mark.requirement("OIDC-CORE-16.11-1")
def test_it_is_no_id_token_hint(signed_in, relying_party, token):
    relying_party.sign_in_with(signed_in)

    answer = relying_party.answer(relying_party.authorize(signed_in, id_token_hint=token))

    assert answer["error"] == "invalid_request"
    assert "id_token_hint" in answer["error_description"]


@pytest.mark.attack("TOKENS-session-jwt")
def test_it_is_no_refresh_token_and_no_code(relying_party, token):
    assert relying_party.refresh(token).json["error"] == "invalid_grant"
    assert relying_party.redeem(token).json["error"] == "invalid_grant"
