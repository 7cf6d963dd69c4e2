"""What holds when a setting is not given."""

import dataclasses
from datetime import timedelta

import pytest

from tests.unit.settings.loading import SECRET_BYTES, local, production


def test_local_mode_needs_mode_and_address_only():
    settings = local()

    assert settings.local_mode is True
    assert settings.auth_url == "http://localhost:37960"
    assert settings.issuer == "http://localhost:37960/api/auth"
    assert settings.https is False
    assert settings.host == "localhost"
    assert settings.cookie_domain is None
    assert settings.auth_secret is None
    assert settings.auth_secret_previous is None
    assert settings.ratelimit_storage is None


def test_production_reads_what_it_cannot_do_without():
    settings = production()

    assert settings.local_mode is False
    assert settings.https is True
    assert settings.cookie_domain == "example.com"
    assert settings.auth_secret == SECRET_BYTES
    assert settings.provider.client_id == "app-1"
    assert settings.provider.client_secret == "provider-secret-value"
    assert settings.ratelimit_storage == "memory://"


def test_without_lists_there_are_none():
    settings = production()

    assert settings.trusted_origins == ()
    assert settings.trusted_proxies == ()
    assert settings.resources == {}


def test_a_given_setting_takes_the_place_of_the_default(subtests):
    for ini, field, value in (
        ({"auth.service_name": "sso"}, "service_name", "sso"),
        ({"auth.cookie_prefix": "corp"}, "cookie_prefix", "corp"),
        ({"auth.sqlite_synchronous": "NORMAL"}, "sqlite_synchronous", "NORMAL"),
        (
            {"auth.database_url": "sqlite:////var/x.sqlite"},
            "database_url",
            "sqlite:////var/x.sqlite",
        ),
        ({"ratelimit.storage": "redis://cache/0"}, "ratelimit_storage", "redis://cache/0"),
        ({"ratelimit.storage": "rediss://cache/0"}, "ratelimit_storage", "rediss://cache/0"),
    ):
        with subtests.test(ini=ini, field=field, value=value):
            assert getattr(production(ini), field) == value


@pytest.mark.parametrize("name", ["id", "authorize_url", "token_url", "api_url"])
def test_another_provider_can_be_named(name):
    value = "ghe" if name == "id" else "https://ghe.example.com/x"

    assert getattr(production({f"provider.{name}": value}).provider, name) == value


def test_a_trailing_slash_of_a_provider_address_is_dropped():
    assert production({"provider.api_url": "https://ghe.example.com/api/v3/"}).provider.api_url == (
        "https://ghe.example.com/api/v3"
    )


def test_settings_cannot_be_changed_after_the_start():
    settings = local()

    with pytest.raises(dataclasses.FrozenInstanceError):
        settings.local_mode = False
    with pytest.raises(dataclasses.FrozenInstanceError):
        settings.provider.client_secret = "another"
    with pytest.raises(dataclasses.FrozenInstanceError):
        settings.lifetimes.session = timedelta(days=400)


def test_services_of_local_mode_on_two_ports_have_cookies_of_their_own(subtests):
    for url, prefix in (
        ("http://localhost:37960", "authservice"),
        ("https://localhost:37960", "authservice"),
        ("http://localhost:8000", "authservice-8000"),
        ("http://[::1]:8000", "authservice-8000"),
        ("http://localhost", "authservice-80"),
        ("https://localhost", "authservice-443"),
    ):
        with subtests.test(url=url, prefix=prefix):
            assert local({"auth.url": url}).cookie_prefix == prefix
            assert local({"auth.url": url, "auth.cookie_prefix": "corp"}).cookie_prefix == "corp"


def test_the_port_of_production_is_no_part_of_its_cookies():
    ini = {"auth.url": "https://auth.example.com:8443"}

    assert production(ini).cookie_prefix == "authservice"
