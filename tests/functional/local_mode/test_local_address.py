"""Local mode sends browsers that come by another name of this machine to AUTH_URL."""

import pytest

from tests.helpers.browser import Browser
from tests.helpers.production import production_app, production_browser

NAVIGATION = {"Sec-Fetch-Mode": "navigate", "Accept": "text/html"}
AUTHORIZE = "/api/auth/oauth2/authorize?client_id=a%20b&state=%C3%A9&scope=openid+email"


def ask(browser, path, host="127.0.0.1:37960", method="GET", **headers):
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    return browser.request(
        path, method=method, headers={"Host": host} | headers, expect_errors=True
    )


def test_a_page_or_an_authorization_request_goes_on_at_its_address(subtests, browser):
    for host in ("127.0.0.1:37960", "[::1]:37960", "auth.localhost:37960"):
        for path in ("/", "/sign-in?callbackURL=%2F&x=a+b", "/account", AUTHORIZE):
            for method in ("GET", "HEAD"):
                with subtests.test(host=host, path=path, method=method):
                    answer = ask(browser, path, host, method, **NAVIGATION)

                    assert answer.status_int == 307
                    assert answer.headers["Location"] == f"http://localhost:37960{path}"
                    assert answer.headers["Cache-Control"] == "no-store"
                    assert answer.headers["X-Content-Type-Options"] == "nosniff"
                    assert "Set-Cookie" not in answer.headers
                    assert answer.body == b""


def test_a_browser_that_says_nothing_of_a_navigation_is_known_by_asking_for_html(browser):
    accepted = "text/html,application/xhtml+xml,*/*;q=0.8"

    assert ask(browser, "/sign-in", Accept=accepted).status_int == 307
    assert ask(browser, "/sign-in", Accept="*/*").status_int == 200
    assert ask(browser, "/sign-in").status_int == 200


def test_what_a_script_fetches_stays_where_it_is(browser):
    assert ask(browser, "/sign-in", Sec_Fetch_Mode="cors", Accept="text/html").status_int == 200


def test_what_programs_ask_stays_where_it_is(subtests, browser):
    for path in (
        "/api/health",
        "/api/ready",
        "/api/openapi.json",
        "/api/auth/jwks",
        "/api/auth/get-session",
        "/api/auth/ok",
        "/api/auth/.well-known/openid-configuration",
        "/.well-known/oauth-authorization-server/api/auth",
    ):
        with subtests.test(path=path):
            assert ask(browser, path, **NAVIGATION).status_int == 200


@pytest.mark.parametrize("path", ["/sign-in", "/api/auth/oauth2/token", AUTHORIZE])
def test_what_is_posted_stays_where_it_is(browser, path):
    answer = ask(browser, path, method="POST", **NAVIGATION)

    assert answer.status_int != 307


@pytest.mark.parametrize("host", ["localhost:37960", "LOCALHOST:37960"])
def test_at_its_address_there_is_nowhere_to_go(browser, host):
    assert ask(browser, "/sign-in", host, **NAVIGATION).status_int == 200


@pytest.mark.parametrize("host", ["127.0.0.1:8080", "127.0.0.1", "localhost:8080"])
def test_behind_a_proxy_of_another_port_there_is_no_circle(browser, host):
    """Such a proxy passes its own name of the service on, and is the one at AUTH_URL."""
    assert ask(browser, "/sign-in", host, **NAVIGATION).status_int == 200


def test_whatever_name_auth_url_has_is_the_one_that_counts(make_app):
    browser = Browser(make_app(auth__url="http://127.0.0.1:37960"))

    answer = ask(browser, "/account", "localhost:37960", **NAVIGATION)

    assert answer.headers["Location"] == "http://127.0.0.1:37960/account"


@pytest.mark.parametrize("host", ["evil.example:37960", "localhost.:37960", "127.0.0.1:x"])
def test_a_name_of_another_machine_is_refused_and_not_corrected(browser, host):
    assert ask(browser, "/", host, **NAVIGATION).status_int == 403


@pytest.mark.parametrize("query", ["a=\x0bb", "a=\x7f", 'a="<>"', "a=%0D%0AX-A:b"])
def test_nothing_of_the_query_leaves_the_location(app, browser, query):
    request = browser.RequestClass.blank("/error", headers={"Accept": "text/html"})
    request.environ |= {"QUERY_STRING": query, "HTTP_HOST": "127.0.0.1:37960"}

    answer = request.get_response(app)

    location = answer.headers["Location"]
    assert location.startswith("http://localhost:37960/error?a=")
    assert location.isascii()
    assert location.isprintable()
    assert "X-A" not in answer.headers


def test_what_cannot_be_read_is_refused_first(browser):
    answer = ask(browser, "/sign-in?a=%FF", **NAVIGATION)

    assert answer.status_int == 400


def test_a_sign_in_that_begins_at_the_other_address_ends_signed_in(browser):
    begun = ask(browser, "/sign-in?callbackURL=/account", **NAVIGATION)

    page = browser.visit(begun.headers["Location"])
    answer = browser.follow_home(page.forms[0].submit("choice", value="sign-in"))

    assert "Local Developer" in answer.text


def test_production_sends_nobody_elsewhere(make_app, monkeypatch):
    browser = production_browser(production_app(make_app, monkeypatch))

    assert ask(browser, "/sign-in", "127.0.0.1", **NAVIGATION).status_int == 200
