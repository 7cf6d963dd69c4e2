"""Cross-origin calls of protocol endpoints: open to everybody, never with credentials."""

import pytest

from tests.helpers.relying_party import AUTHORIZE, TOKEN, USERINFO

ORIGIN = "https://spa.example.net"
DISCOVERY = "/api/auth/.well-known/openid-configuration"


def open_to_everybody(answer):
    headers = answer.headers
    assert headers.getall("Access-Control-Allow-Origin") == ["*"]
    assert headers["Access-Control-Expose-Headers"] == "WWW-Authenticate, Retry-After"
    assert "Access-Control-Allow-Credentials" not in headers
    return True


@pytest.mark.requirement("RFC9700-2.6-4", "OIDC-CORE-5.3-3")
def test_a_token_answer_can_be_read_by_a_page(browser, relying_party):
    code = relying_party.sign_in_with(browser)
    relying_party.http.extra_environ["HTTP_ORIGIN"] = ORIGIN

    tokens = relying_party.redeem(code)
    claims = relying_party.userinfo(tokens.json["access_token"])

    assert tokens.status_int == claims.status_int == 200
    assert open_to_everybody(tokens)
    assert open_to_everybody(claims)


def test_errors_can_be_read_by_a_page_too(subtests, browser):
    for method, path, body, status in (
        ("POST", TOKEN, b"", 401),
        ("POST", TOKEN, b"client_id=unknown", 401),
        ("POST", TOKEN, b"a=%ff", 400),
        ("GET", TOKEN, b"", 405),
        ("GET", USERINFO, b"", 401),
        ("POST", USERINFO, b"access_token=a&access_token=b", 400),
        ("DELETE", USERINFO, b"", 405),
        ("POST", DISCOVERY, b"", 405),
    ):
        with subtests.test(method=method, path=path, body=body, status=status):
            answer = browser.request(
                path,
                method=method,
                body=body,
                headers={"Origin": ORIGIN, "Content-Type": "application/x-www-form-urlencoded"},
                expect_errors=True,
            )

            assert answer.status_int == status
            assert open_to_everybody(answer)


def test_back_channel_calls_without_an_origin_are_not_mistaken_for_forgery(browser, relying_party):
    code = relying_party.sign_in_with(browser)
    relying_party.http.extra_environ["HTTP_SEC_FETCH_MODE"] = "cors"

    assert relying_party.redeem(code).status_int == 200


@pytest.mark.parametrize(
    ("path", "origin"),
    [(TOKEN, ORIGIN), (DISCOVERY, ORIGIN), ("/api/auth/get-session", "http://localhost:3000")],
)
def test_a_preflight_is_given_the_headers_that_it_asks_for(subtests, browser, path, origin):
    headers = {"Origin": origin, "Access-Control-Request-Method": "GET"}
    for wanted, granted in (
        ("mcp-protocol-version", True),
        ("traceparent,sentry-trace, x-requested-with ,cache-control,DPoP", True),
        ("x" * 1024, True),
        ("x" * 1025, False),
        ("a b", False),
        ("a\t,b", False),
        ("a;b", False),
        ("a,,b", False),
        (",a", False),
        ("ä", False),
        ("", False),
        (None, False),
    ):
        with subtests.test(wanted=wanted):
            asks = {} if wanted is None else {"Access-Control-Request-Headers": wanted}
            answer = browser.options(path, headers=headers | asks)

            allowed = answer.headers.getall("Access-Control-Allow-Headers")
            assert allowed == [wanted if granted else "authorization, content-type"]
            varies = ", ".join(answer.headers.getall("Vary"))
            assert "Access-Control-Request-Headers" in varies
            assert ("Origin" in varies) is (path != TOKEN)


@pytest.mark.requirement("RFC9700-2.6-3")
@pytest.mark.parametrize("path", [AUTHORIZE, "/sign-in", "/consent"])
def test_what_people_see_is_not_for_scripts_of_other_pages(browser, relying_party, path):
    headers = {"Origin": ORIGIN, "Access-Control-Request-Method": "GET"}

    preflight = browser.options(path, headers=headers, expect_errors=True)
    answer = browser.get(
        path, relying_party.request(), headers={"Origin": ORIGIN}, expect_errors=True
    )

    assert preflight.status_int == 405
    for response in (preflight, answer):
        assert not [name for name in response.headers if name.startswith("Access-Control-")]
