"""What browsers and clients see of the service through the proxy."""

from urllib.parse import urlencode

import pytest

from tests.behind_proxy.deployment import APP, AUTH, CLIENT, DOMAIN
from tests.behind_proxy.walk import walk_in

ISSUER = f"{AUTH}/api/auth"


@pytest.fixture
def caller(production):
    return production.caller()


def test_security_headers_stand_on_every_answer_once(subtests, caller):
    expected = {
        "Strict-Transport-Security": "max-age=63072000",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "no-referrer",
    }

    for path in (
        "/",
        "/sign-in",
        "/nowhere",
        "/api/health",
        "/api/auth/get-session",
        "/api/auth/jwks",
        "/api/auth/oauth2/authorize",
        "/static/authservice.css",
    ):
        with subtests.test(path=path):
            headers = caller.get(f"{AUTH}{path}").headers
            assert {name: headers.get_all(name) for name in expected} == {
                name: [value] for name, value in expected.items()
            }
            assert len(headers.get_all("Cache-Control")) == 1
            assert "waitress" not in str(headers)
            assert "granian" not in str(headers)


def test_an_event_of_the_provider_may_be_longer_than_other_bodies(caller):
    passed_on = caller.send("POST", f"{ISSUER}/provider/webhook", "x" * 1024 * 1024, {})
    refused = caller.send("POST", f"{ISSUER}/oauth2/token", "x" * (64 * 1024 + 1), {})

    # This service has no App, and says itself that it takes no event.
    assert passed_on.json["code"] == "PAYLOAD_TOO_LARGE"
    assert (refused.status, refused.headers["Content-Type"]) == (413, "text/html")


def _cookies(answer):
    found = {}
    for header in answer.headers.get_all("Set-Cookie", []):
        pair, *attributes = header.split("; ")
        name, _, value = pair.partition("=")
        found[name] = value, {a for a in attributes if not a.startswith("expires=")}
    return found


HOST_ONLY = {"Path=/", "secure", "HttpOnly", "SameSite=Lax"}
SHARED = HOST_ONLY | {f"Domain=.{DOMAIN}"}
WEEK = "Max-Age=604800"


def test_the_cookies_of_a_sign_in(production):
    cookies = _cookies(walk_in(production).last)

    session = cookies.pop("__Secure-authservice.session_token")
    companion = cookies.pop("__Host-authservice.session_host")
    ((attempt, cleared),) = cookies.items()
    assert session[1] == SHARED | {WEEK}
    assert companion[1] == HOST_ONLY | {WEEK}
    assert attempt.startswith("__Host-authservice.sign_in.")
    assert cleared == ("", HOST_ONLY | {"Max-Age=0"})


def test_a_sign_out_clears_them_with_the_same_attributes(production):
    walk = walk_in(production)

    answer = walk.caller.post_json(f"{ISSUER}/sign-out", {}, Cookie=walk.cookies, Origin=APP)

    assert _cookies(answer) == {
        "__Secure-authservice.session_token": ("", SHARED | {"Max-Age=0"}),
        "__Host-authservice.session_host": ("", HOST_ONLY | {"Max-Age=0"}),
    }


def test_the_browser_and_the_attempt_are_host_only(caller):
    page = caller.get(f"{AUTH}/sign-in")
    begun = caller.get(f"{ISSUER}/sign-in/begin")

    assert [attributes for _, attributes in _cookies(page).values()] == [HOST_ONLY]
    assert next(iter(_cookies(page))) == "__Host-authservice.browser"
    assert [a for _, a in _cookies(begun).values()] == [HOST_ONLY | {"Max-Age=600"}]


@pytest.mark.attack("RFC9700-4.13")
@pytest.mark.requirement("RFC8414-6.2-1")
def test_no_forwarding_header_moves_the_issuer(subtests, caller):
    for forged in (
        {"X_Forwarded_Host": "evil.test"},
        {"X_Forwarded_Proto": "http"},
        {"X_Forwarded_Port": "1"},
        {"Forwarded": "host=evil.test;proto=http"},
        {"X_Forwarded_Prefix": "/evil"},
        {"X_Original_URL": "/evil"},
    ):
        with subtests.test(**forged):
            metadata = caller.get(f"{ISSUER}/.well-known/openid-configuration", **forged).json
            assert metadata["issuer"] == ISSUER
            assert all(
                value.startswith(f"{ISSUER}/")
                for name, value in metadata.items()
                if "endpoint" in name and isinstance(value, str)
            )

            begun = caller.post_json(
                f"{ISSUER}/sign-in/social", {"provider": "github"}, Origin=APP, **forged
            )
            assert begun.json["url"].startswith(f"{ISSUER}/sign-in/begin?")
            leaving = caller.get(begun.json["url"], **forged).headers["Location"]
            assert "redirect_uri=https%3A%2F%2Fauth.example.test%2Fapi%2Fauth%2Fcallback" in leaving


@pytest.mark.requirement("RFC6749-4.1.2-5")
def test_a_client_with_a_long_state_passes_the_proxy_both_ways(production, own_client):
    walk = walk_in(production)
    parameters = {
        "response_type": "code",
        "client_id": own_client["client_id"],
        "redirect_uri": f"{CLIENT}/elsewhere",
        "state": "s" * 9000,
        "code_challenge": "c" * 43,
        "code_challenge_method": "S256",
    }

    to_consent = walk.get(f"{ISSUER}/oauth2/authorize?{urlencode(parameters)}")
    page = walk.get(to_consent.headers["Location"])
    answer = walk.submit(f"{AUTH}/consent", page, decision="deny")

    assert answer.headers["Location"].startswith(f"{CLIENT}/elsewhere?")
    assert "s" * 9000 in answer.headers["Location"]


def test_the_address_of_the_person_is_kept_with_the_session(production):
    walk = walk_in(production)

    sessions = walk.caller.get(
        f"{ISSUER}/list-sessions", Cookie=walk.cookies, X_Forwarded_For="198.51.100.1"
    ).json

    assert {each["ipAddress"] for each in sessions} == {"127.0.0.1"}
