"""AUTH_URL, the cookie domain, and the other addresses that the configuration names."""

import pytest

from tests.unit.settings.loading import local, problems, production


@pytest.mark.requirement("RFC8414-2-1", "RFC9207-2-3")
@pytest.mark.parametrize(
    "url",
    [
        "https://auth.example.com",
        "https://example.com",
        "https://auth.example.com:8443",
        "https://xn--mller-kva.example.com",
    ],
)
def test_production_takes_a_bare_https_origin(url):
    assert production({"auth.url": url}).auth_url == url


@pytest.mark.requirement("RFC8414-2-1", "RFC9207-2-3", "OIDC-DISCOVERY-3-1")
def test_production_refuses_any_other_address(subtests):
    for url in (
        None,
        "",
        "auth.example.com",
        "//auth.example.com",
        "http://auth.example.com",
        "ftp://auth.example.com",
        "https://",
        "https://auth.example.com/",
        "https://auth.example.com/sso",
        "https://auth.example.com?x=1",
        "https://auth.example.com#x",
        "https://user@auth.example.com",
        "https://user:pw@auth.example.com",
        "https://auth.example.com:443",
        "https://auth.example.com:0443",
        "https://auth.example.com:99999",
        "https://auth.example.com:x",
        "https://Auth.example.com",
        "HTTPS://auth.example.com",
        "https://auth.example.com.",
        "https://auth_1.example.com",
        "https://-auth.example.com",
        "https://müller.example.com",
        "https://auth..example.com",
        "https://auth.exa\tmple.com",
        "https://auth.example.com\\@evil.example",
        "https://[::1",
    ):
        with subtests.test(url=url):
            names, _ = problems(production, {"auth.url": url, "auth.cookie_domain": None})

            assert names == ["auth.url (AUTH_URL)"]


def test_local_mode_takes_loopback_over_http_and_https(subtests):
    for url in (
        "http://localhost:37960",
        "https://localhost:37960",
        "http://localhost",
        "http://127.0.0.1:8000",
        "http://[::1]:8000",
        "http://auth.localhost:37960",
        "https://auth.dev.localhost",
    ):
        with subtests.test(url=url):
            assert local({"auth.url": url}).auth_url == url


def test_local_mode_refuses_what_is_not_this_machine(subtests):
    for url in (
        "https://auth.example.com",
        "http://127.0.0.2:37960",
        "http://127.1",
        "http://0.0.0.0:37960",
        "http://[::]:37960",
        "http://[::ffff:127.0.0.1]:37960",
        "http://localhost.:37960",
        "http://localhost.example.com",
        "http://notlocalhost",
        "http://.localhost",
        "http://192.168.1.2",
        "http://localhost:37960/",
        "http://localhost:80",
    ):
        with subtests.test(url=url):
            names, _ = problems(local, {"auth.url": url})

            assert names == ["auth.url (AUTH_URL)"]


@pytest.mark.parametrize("domain", [".example.com", "example.com"])
def test_the_leading_dot_of_the_cookie_domain_is_optional(domain):
    assert production({"auth.cookie_domain": domain}).cookie_domain == "example.com"


def test_the_cookie_domain_may_be_the_host_itself():
    assert production({"auth.cookie_domain": "auth.example.com"}).cookie_domain == (
        "auth.example.com"
    )


def test_production_can_do_without_a_cookie_domain():
    assert production({"auth.cookie_domain": None}).cookie_domain is None


@pytest.mark.attack("FAILURES-44")
def test_a_cookie_domain_that_does_not_hold_the_host_is_refused(subtests):
    for url, domain, reason in (
        ("https://auth.example.com", "com", "public suffix"),
        ("https://auth.example.com", ".com", "public suffix"),
        ("https://auth.example.co.uk", ".co.uk", "public suffix"),
        ("https://me.github.io", ".github.io", "public suffix"),
        ("https://me.pages.dev", "pages.dev", "public suffix"),
        ("https://auth.example.com", ".example.org", "parent domain"),
        ("https://auth.example.com", "app.example.com", "parent domain"),
        ("https://auth.example.com", "ample.com", "parent domain"),
        ("https://notexample.com", "example.com", "parent domain"),
        ("https://10.0.0.1", "10.0.0.1", "must be a domain"),
        ("https://10.0.0.1", "0.0.1", "must be a domain"),
        ("https://auth.example.com", "Example.com", "must be a domain"),
        ("https://auth.example.com", "..example.com", "must be a domain"),
        ("https://auth.example.com", "example.com.", "must be a domain"),
        ("https://auth.example.com", "https://example.com", "must be a domain"),
        ("https://auth.example.com", "example.com:443", "must be a domain"),
        ("https://auth.example.com", "example.com; Secure", "must be a domain"),
        ("https://auth.example.com", ".", "must be a domain"),
        ("https://auth.example.com", "*.example.com", "must be a domain"),
    ):
        with subtests.test(url=url, domain=domain, reason=reason):
            names, text = problems(production, {"auth.url": url, "auth.cookie_domain": domain})

            assert names == ["auth.cookie_domain (AUTH_COOKIE_DOMAIN)"]
            assert reason in text


@pytest.mark.parametrize("domain", [".example.com", "localhost", ".localhost"])
def test_local_mode_has_no_cookie_domain(domain):
    names, text = problems(local, {"auth.cookie_domain": domain})

    assert names == ["auth.cookie_domain (AUTH_COOKIE_DOMAIN)"]
    assert "leave it unset" in text


@pytest.mark.parametrize(
    "url",
    [
        "sqlite:///data/x.sqlite",
        "sqlite:////var/lib/x.sqlite",
        "sqlite+pysqlite:///x",
        "postgresql+psycopg://user:pw@host/db",
    ],
)
def test_sqlite_files_and_postgresql_are_databases(url):
    assert production({"auth.database_url": url}).database_url == url


def test_other_databases_are_refused(subtests):
    for url in (
        "sqlite://",
        "sqlite:///:memory:",
        "sqlite:///x?mode=ro",
        "postgresql://host/db",
        "mysql://host/db",
        "not a url",
    ):
        with subtests.test(url=url):
            names, _ = problems(production, {"auth.database_url": url})

            assert names == ["auth.database_url (AUTH_DATABASE_URL)"]


def test_local_mode_on_a_server_database_needs_a_secret():
    url = {"auth.database_url": "postgresql+psycopg://u@localhost/db"}

    assert problems(local, url)[0] == ["AUTH_SECRET"]


def test_a_provider_is_reached_over_https(subtests):
    for name in ("authorize_url", "token_url", "api_url"):
        for url in (
            "http://ghe.example.com/x",
            "ghe.example.com",
            "https://user:pw@ghe.example.com",
            "https://ghe.example.com/?x=1",
            "https://ghe.example.com/#x",
            "javascript:alert(1)",
        ):
            with subtests.test(name=name, url=url):
                assert problems(production, {f"provider.{name}": url})[0] == [f"provider.{name}"]


@pytest.mark.parametrize("url", ["http://127.0.0.1:9000/token", "http://localhost:9000"])
def test_a_provider_on_this_machine_may_use_http(url):
    assert production({"provider.token_url": url}).provider.token_url == url
