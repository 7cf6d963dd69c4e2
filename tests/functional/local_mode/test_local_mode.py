"""Local mode: this machine only, one click, no limits."""

import pytest

from tests.helpers.browser import Browser
from tests.helpers.production import production_app, production_browser


def _ask(browser, host, path="/api/health"):
    return browser.get(path, headers={"Host": host}, expect_errors=True)


def test_names_of_this_machine_are_answered_on_any_port(subtests, browser):
    for host in (
        "localhost",
        "localhost:37960",
        "localhost:1",
        "LOCALHOST:37960",
        "127.0.0.1",
        "127.0.0.1:8080",
        "[::1]",
        "[::1]:37960",
        "auth.localhost",
        "auth.localhost:37960",
        "a.b.c.localhost:80",
    ):
        with subtests.test(host=host):
            assert _ask(browser, host).status_int == 200


@pytest.mark.attack("BROWSER-dns-rebinding")
def test_every_other_name_is_refused_everywhere(subtests, browser):
    for host in (
        "auth.example.com",
        "evil.example:37960",
        "localhost.evil.example",
        "evil-localhost",
        "localhost.",
        "localhost.:37960",
        ".localhost",
        "a_b.localhost",
        "127.0.0.2",
        "127.0.0.1.nip.io",
        "127.1",
        "0.0.0.0",
        "2130706433",
        "[::]",
        "[::ffff:127.0.0.1]",
        "::1",
        "192.168.1.10:37960",
        "localhost:37960:37960",
        "localhost:123456",
        "localhost:",
        "localhost@evil.example",
        "localhost/evil",
        "localhost evil.example",
        "",
    ):
        for path in ("/api/health", "/", "/static/authservice.css", "/nowhere"):
            with subtests.test(host=host, path=path):
                answer = _ask(browser, host, path)

                assert answer.status_int == 403
                assert answer.json["code"] == "HOST_NOT_ALLOWED"
                assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_a_request_without_a_host_is_refused(app):
    browser = Browser(app)
    del browser.extra_environ["HTTP_HOST"]
    request = browser.RequestClass.blank("/api/health")
    del request.environ["HTTP_HOST"]

    assert request.get_response(app).status_int == 403


def test_a_forwarded_host_is_not_looked_at(browser):
    headers = {"Host": "evil.example", "X-Forwarded-Host": "localhost:37960"}

    assert browser.get("/api/health", headers=headers, expect_errors=True).status_int == 403


def test_one_click_signs_in_the_local_developer(browser):
    answer = browser.sign_in()

    assert answer.status_int == 200
    assert "Local Developer" in answer.text
    user = browser.session()["user"]
    assert user["id"] == "local-developer"
    assert user["name"] == "Local Developer"
    assert user["email"] == "local-developer@localhost.localdomain"
    assert user["emailVerified"] is True
    assert user["image"] is None or user["image"].startswith("http")


def test_the_account_stays_the_same(app, browser):
    browser.sign_in()
    other = Browser(app)
    other.sign_in()

    assert browser.session()["user"] == other.session()["user"]
    assert browser.session()["session"]["id"] != other.session()["session"]["id"]


def test_the_sign_in_page_offers_the_local_developer(browser):
    page = browser.get("/sign-in")

    assert "as local developer" in " ".join(page.text.split())
    assert "Local mode" in page.text


def test_production_does_not_answer_by_the_name_of_the_host(make_app, monkeypatch):
    browser = production_browser(production_app(make_app, monkeypatch))

    # A load balancer asks by address.
    assert _ask(browser, "10.0.0.7:8080").status_int == 200
