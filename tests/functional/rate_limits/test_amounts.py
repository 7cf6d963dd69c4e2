"""How many requests pass, which are free, and how it is said that there were too many."""

import pytest

from authservice.crypto.secret_values import random_token
from tests.functional.rate_limits.asking import (
    AUTHORIZE,
    BEGIN,
    SESSION,
    SOCIAL,
    at,
    get,
    introspected,
    posted,
)
from tests.helpers.browser import Browser
from tests.helpers.production import (
    ORIGIN,
    production_app,
    production_browser,
    signed_in_cookies,
    signed_out_cookies,
)
from tests.helpers.relying_party import TOKEN


@pytest.mark.attack("RFC6819-4.4.1.11")
def test_so_many_requests_pass_and_the_next_is_told_when_to_come_again(subtests, app, database):
    unknown = signed_out_cookies(app, database)
    for number, (path, limit, window) in enumerate(
        (
            ("/sign-in", 100, 10),
            ("/api/auth/callback/github", 30, 10),
            ("/api/auth/callback/elsewhere", 30, 10),
            ("/api/auth/sign-in/begin", 30, 10),
            (AUTHORIZE, 300, 60),
            (SESSION, 600, 60),
            ("/", 100, 10),
            ("/static/authservice.css", 100, 10),
        )
    ):
        with subtests.test(path=path):
            # From an address of its own.
            browser = at(production_browser(app, unknown), f"203.0.113.{number}")
            assert 429 not in get(browser, path, limit)

            refused = browser.get(path, expect_errors=True)

            assert refused.status_int == 429
            assert 1 <= int(refused.headers["Retry-After"]) <= window


def test_what_everybody_reads_is_free(subtests, browser):
    for path in (
        "/api/health",
        "/api/auth/ok",
        "/api/auth/jwks",
        "/api/auth/.well-known/openid-configuration",
        "/api/auth/.well-known/oauth-authorization-server",
        "/.well-known/oauth-authorization-server/api/auth",
    ):
        with subtests.test(path=path):
            assert set(get(browser, path, 320)) == {200}


def test_pages_protocol_and_session_api_each_say_it_their_way(browser):
    get(browser, BEGIN, 30)
    page = browser.get(BEGIN, status=429)
    assert page.content_type == "text/html"
    assert "Please wait a moment" in page.text
    assert "too_many_requests" in page.text
    assert page.headers["Content-Security-Policy"]

    asked = {"params": {"provider": "github"}, "headers": {"Origin": ORIGIN}}
    for _ in range(30):
        browser.post_json(SOCIAL, **asked)
    api = browser.post_json(SOCIAL, **asked, status=429)
    said = "Too many requests: try again later"
    assert api.json == {"message": said, "code": "TOO_MANY_REQUESTS"}

    for _ in range(20):
        browser.post(TOKEN, {"client_id": "x"}, status=401)
    protocol = browser.post(TOKEN, {"client_id": "x"}, status=429)
    assert protocol.json == {"error": "temporarily_unavailable", "error_description": f"{said}."}
    assert protocol.headers["Cache-Control"] == "no-store"
    assert protocol.headers["Access-Control-Allow-Origin"] == "*"


def test_a_limit_is_what_its_setting_says(make_app, monkeypatch):
    limits = {"ratelimit__authorization_requests": "2", "ratelimit__client_failures": "4"}
    browser = production_browser(production_app(make_app, monkeypatch, **limits))

    assert get(browser, AUTHORIZE, 3) == [400] * 2 + [429]
    failures = [posted(browser, TOKEN, {"client_id": "x"}) for _ in range(5)]
    assert failures == [401] * 4 + [429]


def test_the_limit_of_every_other_path_is_what_its_setting_says(make_app, monkeypatch):
    limits = {"ratelimit__begun_sign_ins": "1", "ratelimit__other_requests": "3"}
    browser = production_browser(production_app(make_app, monkeypatch, **limits))

    assert get(browser, "/", 4) == [200] * 3 + [429]
    assert get(browser, BEGIN, 2) == [303, 429]


def test_the_limits_of_clients_and_of_sessions_are_what_their_settings_say(
    make_app, monkeypatch, database, register
):
    limits = {"ratelimit__client_requests": "2", "ratelimit__session_requests": "1"}
    app = production_app(make_app, monkeypatch, **limits)
    person = production_browser(app, signed_in_cookies(app, database))
    headers = register().credentials()

    statuses = [
        introspected(production_browser(app), random_token(), headers=headers) for _ in range(3)
    ]
    assert statuses == [200, 200, 429]
    assert get(person, "/api/auth/token", 2) == [200, 429]


def test_local_mode_limits_nothing(make_app):
    browser = Browser(make_app())

    assert set(get(browser, "/sign-in", 110)) == {200}
    assert set(get(browser, SESSION, 150)) == {200}
