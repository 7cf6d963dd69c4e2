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

SAFE_SPACE = list(
    product(MODES, URLS, COOKIE_DOMAINS, AUTH_SECRETS, PROVIDER_VALUES, DATABASES, ORIGINS)
)


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


@pytest.fixture(scope="module")
def space():
    """Load every combination once: those that are accepted, with what they were made of."""
    accepted = [(given, _load(given)) for given in SAFE_SPACE]
    return [(given, settings) for given, settings in accepted if settings is not None]


def test_the_space_is_large_and_holds_both_modes(space):
    assert len(SAFE_SPACE) > 10_000
    assert {settings.local_mode for _, settings in space} == {True, False}
    assert len(space) < len(SAFE_SPACE) / 20


def test_the_mode_is_the_one_that_was_named(space):
    for (mode, *_), settings in space:
        assert mode in {"local", "production"}
        assert settings.local_mode is (mode == "local")


@pytest.mark.attack("RFC6819-4.3.1")
@pytest.mark.requirement("RFC6749-2.3.1-6", "RFC6749-3.1-8", "RFC6749-3.2-5", "RFC6749-10.8-1")
@pytest.mark.requirement("RFC6750-5.3-1", "RFC7009-2-3", "RFC7662-2-1", "OAUTH21-1.5-1")
def test_production_runs_over_https_with_its_secrets(space):
    for given, settings in space:
        if settings.local_mode:
            continue
        assert settings.auth_url.startswith("https://"), given
        assert settings.auth_secret == SECRET_BYTES, given
        assert settings.provider.client_id, given
        assert settings.provider.client_secret, given
        assert settings.ratelimit_storage is not None, given


def test_local_mode_stays_on_this_machine(space):
    for given, settings in space:
        if not settings.local_mode:
            continue
        assert urlsplit(settings.auth_url).hostname in LOOPBACK, given
        assert settings.cookie_domain is None, given
        assert settings.ratelimit_storage is None, given
        assert all("localhost" in origin for origin in settings.trusted_origins), given


def test_local_mode_keeps_its_own_secret_beside_a_file_only(space):
    for given, settings in space:
        if settings.auth_secret is None:
            assert settings.local_mode, given
            assert settings.database_url.startswith("sqlite:///"), given


def test_a_cookie_domain_holds_the_host_and_is_no_public_suffix(space):
    for given, settings in space:
        if settings.cookie_domain is None:
            assert given[2] is None
        else:
            assert settings.cookie_domain in {"example.com", "auth.example.com"}, given
            assert settings.host.endswith(settings.cookie_domain), given


def test_an_unsafe_value_never_yields_settings(space):
    unsafe = {
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
    for given, _ in space:
        assert not unsafe.intersection(value for value in given if isinstance(value, str)), given


def test_each_accepted_combination_is_one_that_was_expected(space):
    accepted = {given for given, _ in space}
    for given in SAFE_SPACE:
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
        expected = bool(local or production) and database != "sqlite://"
        assert (given in accepted) is expected, given


def test_nothing_is_read_from_the_environment_after_the_start(make_app, monkeypatch):
    app = make_app()
    before = repr(app.registry.components.settings)

    for name, value in {
        "AUTH_URL": "https://elsewhere.example.com",
        "AUTH_COOKIE_DOMAIN": ".example.com",
        "AUTH_SECRET": SECRET,
        "AUTH_DATABASE_URL": "sqlite:////nowhere/x.sqlite",
        "PROVIDER_CLIENT_ID": "another",
    }.items():
        monkeypatch.setenv(name, value)

    assert repr(app.registry.components.settings) == before
    assert app.registry.components.settings.auth_url == "http://localhost:37960"


def test_the_settings_depend_on_what_is_passed_in_only(monkeypatch):
    monkeypatch.setenv("AUTH_URL", "https://elsewhere.example.com")
    monkeypatch.setitem(os.environ, "AUTH_COOKIE_DOMAIN", ".example.com")

    settings = load_settings({"auth.mode": "local", "auth.url": "http://localhost:37960"}, {})

    assert settings.auth_url == "http://localhost:37960"
    assert settings.cookie_domain is None
