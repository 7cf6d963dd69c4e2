"""The session API across origins: which ones may call it, and which may change something."""

import pytest

from authservice.web.routes import ROUTES, Surface
from tests.helpers.production import production_app, production_browser, signed_in_cookies

GET_SESSION = "/api/auth/get-session"
SIGN_OUT = "/api/auth/sign-out"
APP = "https://app.example.com"
SESSION_API = [route for route in ROUTES if route.surface is Surface.SESSION_API]
DOCUMENTS = [route for route in ROUTES if route.surface is Surface.DOCUMENT]
PROTOCOL = [route for route in ROUTES if route.surface is Surface.PROTOCOL]
OTHERS = [
    route for route in ROUTES if route.surface in {Surface.PAGE, Surface.BROWSER_PROTOCOL}
]  # fmt: skip


@pytest.fixture
def app(make_app, monkeypatch):
    return production_app(make_app, monkeypatch)


@pytest.fixture
def signed_in(app, database):
    return production_browser(app, signed_in_cookies(app, database))


def _cors(response):
    return {
        name.lower(): value
        for name, value in response.headerlist
        if name.lower().startswith("access-control-")
    }


def _preflight(browser, path, origin, method="POST"):
    headers = {
        "Origin": origin,
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": "content-type",
    }
    return browser.options(path, headers=headers, expect_errors=True)


@pytest.mark.attack("FAILURES-45")
def test_a_trusted_page_may_read_the_session_with_credentials(subtests, signed_in):
    for origin in (APP, "https://example.com", "https://auth.example.com"):
        with subtests.test(origin=origin):
            answer = signed_in.get(GET_SESSION, headers={"Origin": origin})

            assert answer.json["user"]["name"] == "Ada Lovelace"
            assert _cors(answer) == {
                "access-control-allow-origin": origin,
                "access-control-allow-credentials": "true",
                "access-control-expose-headers": "Retry-After",
            }
            assert "Origin" in answer.headers["Vary"]


def test_another_page_may_not(subtests, signed_in):
    for origin in (
        "https://evil.example",
        "null",
        "http://app.example.com",
        "https://app.example.com:8443",
        "https://example.com.evil.net",
        "https://APP.example.com",
        "",
    ):
        with subtests.test(origin=origin):
            answer = signed_in.get(GET_SESSION, headers={"Origin": origin})

            assert _cors(answer) == {}
            assert "Origin" in answer.headers["Vary"]


@pytest.mark.attack("BROWSER-cache-poisoning")
def test_a_request_without_an_origin_varies_by_it_too(signed_in):
    answer = signed_in.get(GET_SESSION)

    assert _cors(answer) == {}
    assert "Origin" in answer.headers["Vary"]


def test_a_preflight_of_a_trusted_page_is_answered(subtests, app):
    for route in SESSION_API:
        with subtests.test(route.name):
            answer = _preflight(production_browser(app), route.path, APP, route.methods[0])

            assert answer.status_int == 204
            assert answer.body == b""
            cors = _cors(answer)
            assert cors["access-control-allow-origin"] == APP
            assert cors["access-control-allow-credentials"] == "true"
            assert cors["access-control-allow-methods"] == ", ".join(route.methods)
            assert "content-type" in cors["access-control-allow-headers"]
            assert int(cors["access-control-max-age"]) > 0
            assert "Origin" in answer.headers["Vary"]


def test_a_preflight_of_another_page_is_not(subtests, app):
    for route in SESSION_API:
        for origin in ("https://evil.example", "null"):
            with subtests.test(route.name, origin=origin):
                answer = _preflight(production_browser(app), route.path, origin, route.methods[0])

                assert answer.status_int == 405
                assert _cors(answer) == {}


def test_what_programs_call_is_open_to_every_page_without_credentials(subtests, app):
    for route in (*PROTOCOL, *DOCUMENTS):
        with subtests.test(route.name):
            answer = _preflight(
                production_browser(app), route.path, "https://any.example", route.methods[0]
            )

            assert answer.status_int == 204
            assert answer.body == b""
            assert not {"Content-Type", "Set-Cookie"} & {*answer.headers}
            assert _cors(answer) == {
                "access-control-allow-origin": "*",
                "access-control-expose-headers": "WWW-Authenticate, Retry-After",
                "access-control-allow-methods": ", ".join(route.methods),
                "access-control-allow-headers": "content-type",
                "access-control-max-age": "600",
            }


def test_the_documents_are_the_metadata_and_the_keys():
    assert {route.name.partition(".")[0] for route in DOCUMENTS} == {"jwks", "well_known"}


def test_a_document_lets_a_trusted_page_send_its_credentials(subtests, app):
    for status in (200, 304):
        for route in DOCUMENTS:
            with subtests.test(route.name, status=status):
                browser = production_browser(app)
                known = {"If-None-Match": "*"} if status == 304 else {}

                answer = browser.get(route.path, headers={"Origin": APP, **known})

                assert answer.status_int == status
                assert _cors(answer) == {
                    "access-control-allow-origin": APP,
                    "access-control-allow-credentials": "true",
                    "access-control-expose-headers": "WWW-Authenticate, Retry-After",
                }
                assert "Origin" in answer.headers["Vary"]
                preflight = _preflight(browser, route.path, APP, "GET")
                assert preflight.status_int == 204
                assert _cors(preflight)["access-control-allow-origin"] == APP
                assert _cors(preflight)["access-control-allow-credentials"] == "true"


@pytest.mark.attack("BROWSER-cache-poisoning")
def test_a_document_is_open_to_everybody_else_without_them(subtests, app):
    for origin in (None, "https://evil.example", "null", "https://APP.example.com"):
        for route in DOCUMENTS:
            with subtests.test(route.name, origin=origin):
                headers = {} if origin is None else {"Origin": origin}

                answer = production_browser(app).get(route.path, headers=headers)

                assert _cors(answer) == {
                    "access-control-allow-origin": "*",
                    "access-control-expose-headers": "WWW-Authenticate, Retry-After",
                }
                # A cache between must not give this answer to a page that is trusted.
                assert "Origin" in answer.headers["Vary"]


UNKNOWN = ["update-user", "list-accounts", "oauth2/register", "a/b", "get-session/", ""]


def test_a_trusted_page_learns_that_an_endpoint_is_not_there(subtests, signed_in):
    for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
        for path in UNKNOWN:
            with subtests.test(method=method, path=path):
                preflight = _preflight(signed_in, f"/api/auth/{path}", APP, method)
                answer = signed_in.request(
                    f"/api/auth/{path}", method=method, headers={"Origin": APP}, expect_errors=True
                )

                assert (preflight.status_int, preflight.body) == (204, b"")
                assert method in _cors(preflight)["access-control-allow-methods"].split(", ")
                assert "content-type" in _cors(preflight)["access-control-allow-headers"]
                assert (answer.status_int, answer.json["code"]) == (404, "NOT_FOUND")
                for each in (preflight, answer):
                    assert _cors(each)["access-control-allow-origin"] == APP
                    assert _cors(each)["access-control-allow-credentials"] == "true"
                    assert "Origin" in each.headers["Vary"]


def test_another_page_does_not(subtests, signed_in):
    for origin in ("https://evil.example", "null", "https://example.com.evil.net"):
        for path in UNKNOWN:
            with subtests.test(origin=origin, path=path):
                preflight = _preflight(signed_in, f"/api/auth/{path}", origin)
                answer = signed_in.get(
                    f"/api/auth/{path}", headers={"Origin": origin}, expect_errors=True
                )

                assert preflight.status_int == answer.status_int == 404
                assert _cors(preflight) == _cors(answer) == {}
                assert "Origin" in answer.headers["Vary"]


@pytest.mark.parametrize("path", ["/api/nowhere", "/nowhere", "/api/authority", "/static/no.css"])
def test_elsewhere_nobody_is_told_across_origins(signed_in, path):
    preflight = _preflight(signed_in, path, APP)
    answer = signed_in.get(path, headers={"Origin": APP}, expect_errors=True)

    assert preflight.status_int in {404, 405}
    assert answer.status_int == 404
    assert _cors(preflight) == _cors(answer) == {}


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        (f"{GET_SESSION}?a=%ff", b"", 400),
        ("/api/auth/update-user?a=%ff", b"", 400),
        (SIGN_OUT, b"x" * 70_000, 413),
        ("/api/auth/jwks?a=%ff", b"", 400),
    ],
)
def test_a_trusted_page_can_read_what_is_refused_at_the_gate_too(app, path, body, status):
    answer = production_browser(app).request(
        path, method="POST", body=body, headers={"Origin": APP}, expect_errors=True
    )

    assert answer.status_int == status
    assert _cors(answer)["access-control-allow-origin"] == APP


def test_pages_are_nobody_elses(subtests, app):
    for route in OTHERS:
        with subtests.test(route.name):
            path = route.path.replace("{provider_id}", "github")

            assert _preflight(production_browser(app), path, APP).status_int == 405
            answer = production_browser(app).get(path, headers={"Origin": APP}, expect_errors=True)
            assert _cors(answer) == {}


def test_errors_carry_the_headers_too(app):
    browser = production_browser(app)
    for path, expected, scheme in (
        ("/api/auth/oauth2/userinfo", "*", "Bearer"),
        ("/api/auth/list-sessions", APP, "Cookie"),
    ):
        answer = browser.get(path, headers={"Origin": APP}, expect_errors=True)
        assert answer.status_int == 401
        # Every 401 names how to be let in (RFC 9110, 15.5.2).
        assert answer.headers["WWW-Authenticate"].startswith(f'{scheme} realm="authservice"')
        assert _cors(answer)["access-control-allow-origin"] == expected


def _post(browser, path=SIGN_OUT, **headers):
    return browser.post_json(path, {}, headers=headers, expect_errors=True)


@pytest.mark.parametrize("headers", [{}, {"Origin": "null"}, {"Referer": "about:blank"}])
def test_a_change_with_a_cookie_needs_an_origin(signed_in, headers):
    answer = _post(signed_in, **headers)

    assert answer.status_int == 403
    assert answer.json["code"] == "MISSING_OR_NULL_ORIGIN"
    assert signed_in.session() is not None


@pytest.mark.attack("BROWSER-csrf-api")
def test_a_change_with_a_cookie_needs_a_trusted_origin(subtests, signed_in):
    for headers in (
        {"Origin": "https://evil.example"},
        {"Origin": "http://auth.example.com"},
        {"Origin": "https://auth.example.com:8443"},
        {"Origin": "https://auth.example.com.evil.example"},
        {"Origin": "https://AUTH.example.com"},
        {"Origin": "junk"},
        {"Referer": "https://evil.example/https://auth.example.com"},
        {"Referer": "https://auth.example.com@evil.example/"},
        {"Origin": "https://evil.example", "Referer": "https://auth.example.com/"},
    ):
        with subtests.test(headers=headers):
            answer = _post(signed_in, **headers)

            assert answer.status_int == 403
            assert answer.json["code"] == "INVALID_ORIGIN"
            assert signed_in.session() is not None


@pytest.mark.parametrize("referrer", ["https://[::1", "https://app.example.com:x/", "not a url"])
def test_a_referrer_that_cannot_be_read_is_none(signed_in, referrer):
    assert _post(signed_in, Referer=referrer).json["code"] == "MISSING_OR_NULL_ORIGIN"


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": APP},
        {"Origin": "https://auth.example.com"},
        {"Referer": "https://app.example.com/page?x=1"},
        {"Referer": "https://auth.example.com/"},
    ],
)
def test_from_a_trusted_origin_it_is_done(signed_in, headers):
    assert _post(signed_in, **headers).json == {"success": True}
    assert signed_in.session() is None


@pytest.mark.attack("BROWSER-host-header")
def test_the_host_of_the_request_is_no_trusted_origin(signed_in):
    answer = _post(signed_in, Host="evil.example", Origin="https://evil.example")

    assert answer.json["code"] == "INVALID_ORIGIN"


@pytest.mark.attack("BROWSER-csrf-api")
def test_every_change_of_the_session_api_is_guarded(subtests, signed_in):
    for path in [route.path for route in SESSION_API if "POST" in route.methods]:
        with subtests.test(path=path):
            assert _post(signed_in, path).json["code"] == "MISSING_OR_NULL_ORIGIN"
            assert (
                _post(signed_in, path, Origin="https://evil.example").json["code"]
                == "INVALID_ORIGIN"
            )
            assert signed_in.session() is not None


def test_a_request_without_a_cookie_needs_no_origin(app):
    assert _post(production_browser(app)).json == {"success": True}


def test_a_body_that_is_not_json_is_not_read(subtests, browser):
    for content_type in ("text/plain", "application/x-www-form-urlencoded", ""):
        for path in (SIGN_OUT, "/api/auth/sign-in/social"):
            with subtests.test(content_type=content_type, path=path):
                answer = browser.post(
                    path,
                    b'{"provider":"github"}',
                    headers={"Origin": APP},
                    content_type=content_type,
                    expect_errors=True,
                )

                assert answer.status_int == 415
                assert answer.json["code"] == "UNSUPPORTED_MEDIA_TYPE"


@pytest.mark.parametrize("content_type", ["application/json; charset=utf-8", "Application/JSON"])
def test_the_content_type_may_have_parameters(browser, content_type):
    answer = browser.post(SIGN_OUT, b"{}", headers={"Origin": APP}, content_type=content_type)

    assert answer.json == {"success": True}


def test_a_body_that_cannot_be_used_is_a_bad_request(subtests, browser):
    for body, code in (
        (b"{", "BAD_REQUEST"),
        (b"\xff", "BAD_REQUEST"),
        (b'{"provider": "\xff"}', "BAD_REQUEST"),
        (b"[" * 9_000, "BAD_REQUEST"),
        (b"[]", "BODY_MUST_BE_AN_OBJECT"),
        (b'"github"', "BODY_MUST_BE_AN_OBJECT"),
        (b"null", "BODY_MUST_BE_AN_OBJECT"),
        (b"{}", "VALIDATION_ERROR"),
        (b'{"provider": 1}', "VALIDATION_ERROR"),
    ):
        with subtests.test(body=body, code=code):
            answer = browser.post(
                "/api/auth/sign-in/social",
                body,
                headers={"Origin": APP},
                content_type="application/json",
                expect_errors=True,
            )

            assert answer.status_int == 400
            assert answer.json["code"] == code
            assert set(answer.json) == {"message", "code"}
