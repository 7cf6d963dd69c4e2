"""The headers that every answer carries, whatever it is."""

import pytest

from tests.helpers.browser import Browser
from tests.helpers.production import production_app, production_browser

PATHS = [
    "/",
    "/sign-in",
    "/sign-in?callbackURL=//evil.example",
    "/error?error=x",
    "/nowhere",
    "/api/health",
    "/api/auth/get-session",
    "/api/auth/jwks",
    "/api/auth/nowhere",
    "/api/auth/.well-known/openid-configuration",
    "/api/auth/oauth2/userinfo",
    "/api/auth/oauth2/authorize",
    "/api/auth/oauth2/token",
    "/api/auth/callback/github",
    "/static/authservice.css",
    "/static/nowhere.css",
    "/%ff",
    "/?a=%ff",
]
EVERYWHERE = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
}


@pytest.mark.attack("RFC9700-4.2")
@pytest.mark.requirement("RFC6749-10.13-1", "RFC9700-4.2.4-1", "RFC9700-4.16-1")
@pytest.mark.requirement("OIDC-CORE-3.1.2.3-3")
def test_every_answer_carries_them_once(subtests, app):
    for path in PATHS:
        with subtests.test(path=path):
            # WebTest cannot bring cookies to a path that it cannot read.
            answer = Browser(app).get(path, expect_errors=True)

            for name, value in EVERYWHERE.items():
                assert answer.headers.getall(name) == [value]
            assert "Strict-Transport-Security" not in answer.headers


def test_the_account_alone_parts_from_the_window_that_opened_it(subtests, browser):
    browser.sign_in()
    apart = browser.get("/account")

    assert apart.headers["Cross-Origin-Opener-Policy"] == "same-origin"
    for path in [*PATHS, "/account"]:
        with subtests.test(path=path):
            answer = Browser(browser.app).get(path, expect_errors=True)

            assert "Cross-Origin-Opener-Policy" not in answer.headers


@pytest.mark.attack("OWASP-SESSION-10")
def test_over_https_browsers_are_told_to_stay_there(subtests, make_app, monkeypatch):
    app = production_app(make_app, monkeypatch)
    for path in PATHS:
        with subtests.test(path=path):
            answer = production_browser(app).get(path, expect_errors=True)

            assert answer.headers.getall("Strict-Transport-Security") == ["max-age=63072000"]
            for name, value in EVERYWHERE.items():
                assert answer.headers.getall(name) == [value]


@pytest.mark.attack("RFC6819-4.6.6", "FAILURES-30")
def test_what_concerns_a_person_is_not_stored(subtests, browser):
    for path in (
        "/",
        "/sign-in",
        "/error",
        "/nowhere",
        "/api/auth/get-session",
        "/api/auth/nowhere",
        "/api/auth/oauth2/userinfo",
        "/api/auth/oauth2/authorize",
        "/api/auth/callback/github",
    ):
        with subtests.test(path=path):
            assert browser.get(path, expect_errors=True).headers["Cache-Control"] == "no-store"
