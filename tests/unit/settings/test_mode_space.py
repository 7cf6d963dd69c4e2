"""The whole space of settings: whatever is combined, local mode and production never mix."""

import os
from itertools import product
from urllib.parse import urlsplit

import pytest

from authservice.settings import SettingsError, load_settings
from tests.unit.settings.loading import SECRET, SECRET_BYTES

MODES = (None, "local", "production", "Production", "test")
URLS = (
    None,
    "http://localhost:37960",
    "https://localhost:37960",
    "http://127.0.0.1",
    "http://auth.example.com",
    "https://auth.example.com",
    "https://auth.example.com/",
    "https://user@auth.example.com",
)
COOKIE_DOMAINS = (None, ".example.com", "auth.example.com", ".com", "localhost", ".example.org")
AUTH_SECRETS = (None, SECRET, "short", "AAAA" * 11)
PROVIDER_VALUES = ((None, None), ("id", None), (None, "secret"), ("id", "secret"))
DATABASES = (None, "sqlite:///x.sqlite", "postgresql+psycopg://u@h/d", "sqlite://")
ORIGINS = (None, "https://app.example.com", "http://app.localhost:3000", "https://evil.example.net")
LOOPBACK = {"localhost", "127.0.0.1"}
UNSAFE = {
    "http://auth.example.com",
    "https://auth.example.com/",
    "https://user@auth.example.com",
    ".com",
    "localhost",
    ".example.org",
    "short",
    "AAAA" * 11,
    "sqlite://",
    "https://evil.example.net",
    "Production",
    "test",
}

# Of each mode.
SAFE_SPACE = list(product(URLS, COOKIE_DOMAINS, AUTH_SECRETS, PROVIDER_VALUES, DATABASES, ORIGINS))


def _load(given):
    mode, url, domain, secret, (client_id, client_secret), database, origin = given
    ini = {
        "auth.mode": mode,
        "auth.url": url,
        "auth.cookie_domain": domain,
        "auth.database_url": database,
        "auth.trusted_origins": origin,
        "provider.client_id": client_id,
    }
    environ = {
        "AUTH_SECRET": secret,
        "PROVIDER_CLIENT_SECRET": client_secret,
        "ADMISSION_EVERYONE": "true",
    }
    try:
        return load_settings(
            {key: value for key, value in ini.items() if value is not None},
            {key: value for key, value in environ.items() if value is not None},
        )
    except SettingsError:
        return None


def _is_expected(given):
    mode, url, domain, secret, provider, database, origin = given
    local = (
        mode == "local"
        and url in URLS[1:4]
        and domain is None
        and origin in {None, "http://app.localhost:3000"}
        and secret in {None, SECRET}
        and (secret or database in {None, "sqlite:///x.sqlite"})
    )
    production = (
        mode == "production"
        and secret == SECRET
        and provider == ("id", "secret")
        and (
            (
                url == "https://auth.example.com"
                and domain in {None, ".example.com", "auth.example.com"}
                and origin in {None, "https://app.example.com"}
            )
            or (url == "https://localhost:37960" and domain is None and origin is None)
        )
    )
    return bool(local or production) and database != "sqlite://"


def _broken_rules(given, settings):
    """Yield the rules that what was accepted does not keep."""
    if settings.local_mode is not (given[0] == "local"):
        yield "the mode is the one that was named"
    if not UNSAFE.isdisjoint(value for value in given if isinstance(value, str)):
        yield "an unsafe value never yields settings"
    if (settings.cookie_domain is None) is not (given[2] is None):
        yield "there is a cookie domain if one was given"
    if settings.cookie_domain is not None and not (
        settings.cookie_domain in {"example.com", "auth.example.com"}
        and settings.host.endswith(settings.cookie_domain)
    ):
        yield "a cookie domain holds the host and is no public suffix"
    if settings.local_mode:
        yield from _broken_by_local_mode(settings)
    else:
        yield from _broken_by_production(settings)


def _broken_by_local_mode(settings):
    if urlsplit(settings.auth_url).hostname not in LOOPBACK:
        yield "local mode stays on this machine"
    if settings.cookie_domain is not None or settings.ratelimit_storage is not None:
        yield "local mode has no cookie domain and no rate limits"
    if not all("localhost" in origin for origin in settings.trusted_origins):
        yield "local mode trusts this machine only"
    if settings.auth_secret is None and not settings.database_url.startswith("sqlite:///"):
        yield "local mode keeps its own secret beside a file only"


def _broken_by_production(settings):
    if not settings.auth_url.startswith("https://"):
        yield "production runs over https"
    if settings.auth_secret != SECRET_BYTES:
        yield "production has a secret"
    if not (settings.provider.client_id and settings.provider.client_secret):
        yield "production has an identity provider"
    if settings.ratelimit_storage is None:
        yield "production has rate limits"


@pytest.mark.attack("RFC6819-4.3.1")
@pytest.mark.requirement("RFC6749-2.3.1-6", "RFC6749-3.1-8", "RFC6749-3.2-5", "RFC6749-10.8-1")
@pytest.mark.requirement("RFC6750-5.3-1", "RFC7009-2-3", "RFC7662-2-1", "OAUTH21-1.5-1")
@pytest.mark.no_cover  # twelve thousand combinations take three times as long where it counts
@pytest.mark.parametrize("mode", MODES)
def test_what_is_accepted_is_expected_and_keeps_the_rules_of_its_mode(mode):
    accepted = 0
    wrong = []
    # What is no mode refuses the start alone: of its combinations some are enough. Their distance
    # has no factor of the numbers of values, so each pair of values comes.
    for rest in SAFE_SPACE[:: 1 if mode in {"local", "production"} else 29]:
        given = (mode, *rest)
        settings = _load(given)
        if (settings is not None) is not _is_expected(given):
            wrong.append((given, "it is accepted exactly if it is expected"))
        if settings is not None:
            accepted += 1
            wrong += [(given, rule) for rule in _broken_rules(given, settings)]

    assert wrong == []
    assert len(SAFE_SPACE) > 10_000
    assert (accepted > 0) is (mode in {"local", "production"})


def test_the_settings_depend_on_what_is_passed_in_only(monkeypatch):
    monkeypatch.setenv("AUTH_URL", "https://elsewhere.example.com")
    monkeypatch.setitem(os.environ, "AUTH_COOKIE_DOMAIN", ".example.com")

    settings = load_settings({"auth.mode": "local", "auth.url": "http://localhost:37960"}, {})

    assert settings.auth_url == "http://localhost:37960"
    assert settings.cookie_domain is None
