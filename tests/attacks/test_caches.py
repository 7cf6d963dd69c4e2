"""Cache poisoning and deception: what may be kept is the same for all, and the rest is not kept."""

from itertools import product

import pytest

from tests.helpers.browser import Browser
from tests.helpers.production import production_app, production_browser, signed_in_cookies

CACHEABLE = (
    "/api/auth/.well-known/openid-configuration",
    "/api/auth/.well-known/oauth-authorization-server",
    "/.well-known/oauth-authorization-server/api/auth",
    "/api/auth/jwks",
)
UNKEYED = {
    "HTTP_X_FORWARDED_HOST": "evil.example",
    "HTTP_X_FORWARDED_PROTO": "http",
    "HTTP_X_FORWARDED_PORT": "1",
    "HTTP_X_FORWARDED_PREFIX": "/evil.example",
    "HTTP_X_FORWARDED_SCHEME": "nothttps",
    "HTTP_X_FORWARDED_SERVER": "evil.example",
    "HTTP_X_HOST": "evil.example",
    "HTTP_X_ORIGINAL_URL": "/evil.example",
    "HTTP_X_REWRITE_URL": "/evil.example",
    "HTTP_X_HTTP_METHOD_OVERRIDE": "POST",
    "HTTP_X_METHOD_OVERRIDE": "DELETE",
    "HTTP_FORWARDED": "host=evil.example;proto=http",
    "HTTP_ACCEPT_LANGUAGE": "xx",
    "HTTP_ACCEPT": "text/html",
    "HTTP_USER_AGENT": "<script>",
    "HTTP_ORIGIN": "https://evil.example",
    "HTTP_COOKIE": "authservice.session_token=x",
    "HTTP_AUTHORIZATION": "Bearer x",
    "HTTP_RANGE": "bytes=0-1",
    "SCRIPT_NAME": "/evil.example",
    "HTTP_HOST": "evil.example",
    "wsgi.url_scheme": "http",
}


@pytest.fixture
def production(make_app, monkeypatch):
    return production_app(make_app, monkeypatch)


def _without_date(answer):
    return answer.status_int, answer.body, sorted(answer.headers.items())


@pytest.mark.attack("BROWSER-cache-poisoning", "BROWSER-host-header")
def test_no_header_changes_an_answer_that_caches_keep(subtests, production):
    for path in CACHEABLE:
        with subtests.test(path=path):
            plain = production_browser(production).get(path)
            assert "max-age" in plain.headers["Cache-Control"]

            for name, value in UNKEYED.items():
                answer = production_browser(production).get(path, extra_environ={name: value})
                assert _without_date(answer) == _without_date(plain), name


@pytest.mark.attack("BROWSER-cache-poisoning", "BROWSER-host-header")
def test_no_header_puts_a_host_into_a_page(subtests, production):
    for path in ("/", "/sign-in", "/error", "/nowhere", "/api/auth/nowhere"):
        with subtests.test(path=path):
            for name, value in UNKEYED.items():
                answer = production_browser(production).get(
                    path, extra_environ={name: value}, expect_errors=True
                )
                assert "evil." not in answer.text, name
                assert "evil." not in answer.headers.get("Location", ""), name


@pytest.mark.attack("BROWSER-cache-poisoning", "FAILURES-40")
def test_an_address_that_looks_like_a_file_shows_nobodys_data(subtests, production, database):
    browser = production_browser(production, signed_in_cookies(production, database))

    for path, suffix in product(
        ("/api/auth/get-session", "/api/auth/token", "/", "/consent"),
        ("/x.css", "/..%2fx.css", ";x.css", ".css", "%0ax.css", "%3fx.css"),
    ):
        with subtests.test(path=path, suffix=suffix):
            answer = browser.get(f"{path}{suffix}", expect_errors=True)
            assert answer.status_int in {400, 404}
            assert "ada1@example.com" not in answer.text


@pytest.mark.attack("BROWSER-cache-poisoning", "FAILURES-40", "OWASP-SESSION-5")
def test_no_file_sets_a_cookie_or_is_another_one_for_people_who_are_signed_in(browser, app):
    path = "/static/authservice.css"
    stranger = Browser(app).get(path)
    browser.sign_in()

    assert browser.get(path).body == stranger.body
    assert "Set-Cookie" not in stranger.headers
