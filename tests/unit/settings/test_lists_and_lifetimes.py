"""Settings that hold several values, and numbers that depend on one another."""

from datetime import timedelta
from ipaddress import ip_network

import pytest

from tests.unit.settings.loading import local, problems, production


def test_trusted_origins_are_on_the_same_site():
    origins = "https://www.example.com, https://admin.example.com:8443\nhttps://example.com"

    assert production({"auth.trusted_origins": origins}).trusted_origins == (
        "https://www.example.com",
        "https://admin.example.com:8443",
        "https://example.com",
    )


def test_an_origin_that_never_gets_the_cookie_is_refused(subtests):
    for origin, reason in (
        ("http://app.example.com", "https only"),
        ("https://app.example.com/", "must list origins"),
        ("https://App.example.com", "must list origins"),
        ("https://*.example.com", "must list origins"),
        ("null", "must list origins"),
        ("app.example.com", "must list origins"),
        ("https://app.example.org", "another site"),
        ("https://notexample.com", "another site"),
        ("https://10.0.0.1", "another site"),
        ("https://com", "another site"),
    ):
        with subtests.test(origin=origin, reason=reason):
            names, text = problems(production, {"auth.trusted_origins": origin})

            assert names == ["auth.trusted_origins"]
            assert reason in text
            assert repr(origin) in text


def test_sites_below_a_public_suffix_are_different_sites():
    ini = {
        "auth.url": "https://auth.me.github.io",
        "auth.cookie_domain": None,
        "auth.trusted_origins": "https://you.github.io",
    }

    assert problems(production, ini)[0] == ["auth.trusted_origins"]
    assert problems(production, ini | {"auth.trusted_origins": "https://me.github.io"})[0] == []


def test_local_mode_trusts_loopback_origins_only():
    assert local({"auth.trusted_origins": "http://app.localhost:3000"}).trusted_origins == (
        "http://app.localhost:3000",
    )
    names, text = problems(local, {"auth.trusted_origins": "https://app.example.com"})
    assert names == ["auth.trusted_origins"]
    assert "localhost only" in text


def test_trusted_proxies_are_addresses_and_networks():
    text = "127.0.0.1, 10.0.0.0/8\n::1 fd00::/8"

    assert production({"auth.trusted_proxies": text}).trusted_proxies == tuple(
        map(ip_network, ["127.0.0.1", "10.0.0.0/8", "::1", "fd00::/8"])
    )


def test_what_is_no_network_is_refused(subtests):
    for key in ("auth.trusted_proxies", "auth.backchannel_networks"):
        for word in ("proxy.example.com", "10.0.0.1/8", "10.0.0.0/33", "*"):
            with subtests.test(key=key, word=word):
                names, text = problems(production, {key: word})

                assert names == [key]
                assert repr(word) in text


@pytest.mark.parametrize("prefix", ["a", "auth-2", "a.b_c", "A" * 64])
def test_a_cookie_prefix_is_a_token(prefix):
    assert production({"auth.cookie_prefix": prefix}).cookie_prefix == prefix


def test_any_other_cookie_prefix_is_refused(subtests):
    for prefix in (".a", "__Host-x", "a b", "a;b", "a=b", "ä", "A" * 65):
        with subtests.test(prefix=prefix):
            assert problems(production, {"auth.cookie_prefix": prefix})[0] == ["auth.cookie_prefix"]


def test_a_provider_id_fits_into_a_path(subtests):
    for provider in ("GitHub", "git hub", "../x", "a/b", "-a", "a" * 65):
        with subtests.test(provider=provider):
            assert problems(production, {"provider.id": provider})[0] == ["provider.id"]


@pytest.mark.parametrize("storage", ["memory", "file:///x", "redis:", "http://x"])
def test_rate_limits_are_kept_in_memory_or_redis(storage):
    assert problems(production, {"ratelimit.storage": storage})[0] == ["ratelimit.storage"]


def test_a_rate_limit_is_a_number_of_requests(subtests):
    for name in (
        "begun_sign_ins",
        "authorization_requests",
        "client_requests",
        "client_failures",
        "unknown_tokens",
        "session_requests",
        "other_requests",
    ):
        for value in ("0", "-1", "2.5", "many", "1000001"):
            with subtests.test(name=name, value=value):
                names, message = problems(production, {f"ratelimit.{name}": value})

                assert names == [f"ratelimit.{name}"]
                assert "must be a whole number from 1 to 1000000" in message


def test_the_sign_in_page_can_be_opened_by_all_who_may_begin_to_sign_in():
    names, message = problems(production, {"ratelimit.begun_sign_ins": "34"})

    assert names == ["ratelimit.other_requests"]
    assert "at least three times ratelimit.begun_sign_ins, which is 102" in message
    enough = {"ratelimit.begun_sign_ins": "34", "ratelimit.other_requests": "102"}
    assert production(enough).request_limits.begun_sign_ins == 34


LIMITS = {
    "session": 34560000,
    "session_update": 34560000,
    "session_max": 34560000,
    "code": 600,
    "access_token": 86400,
    "id_token": 86400,
    "refresh_token": 34560000,
    "refresh_family": 34560000,
    "refresh_grace": 300,
}


@pytest.mark.attack("FAILURES-41")
def test_a_lifetime_is_a_whole_number_within_its_limit(subtests):
    for name, limit in LIMITS.items():
        for value in ("0", "-1", "1.5", "1e3", "abc", "٣", "1_000", "9" * 30, None):
            with subtests.test(name=name, value=value):
                text = str(limit + 1) if value is None else value

                names, message = problems(production, {f"lifetimes.{name}": text})

                assert names == [f"lifetimes.{name}"]
                assert f"from 1 to {limit}" in message


def test_each_lifetime_can_be_set(subtests):
    for name in LIMITS:
        with subtests.test(name=name):
            value = 30000000 if name in {"session_max", "refresh_family"} else 90

            changes = {f"lifetimes.{name}": str(value)}
            if name == "session":
                changes["lifetimes.session_update"] = "10"
            settings = production(changes)

            assert getattr(settings.lifetimes, name) == timedelta(seconds=value)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:9464", ("127.0.0.1", 9464)),
        ("0.0.0.0:1", ("0.0.0.0", 1)),
        ("[::1]:65535", ("::1", 65535)),
        ("", None),
    ],
)
def test_metrics_are_read_at_an_address_and_a_port(text, address):
    assert production({"metrics.listen": text}).metrics_listen == address


def test_any_other_address_of_metrics_is_refused(subtests):
    for text in ("9464", ":9464", "localhost:9464", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:65536"):
        with subtests.test(text=text):
            names, message = problems(production, {"metrics.listen": text})

            assert names == ["metrics.listen"]
            assert "must be an IP address and a port: 127.0.0.1:9464" in message


@pytest.mark.parametrize("value", ["0", "257", "-1", "many"])
def test_the_number_of_concurrent_sign_ins_has_limits(value):
    names, message = problems(production, {"provider.concurrent_sign_ins": value})

    assert names == ["provider.concurrent_sign_ins"]
    assert "must be a whole number from 1 to 256" in message


def test_a_session_is_extended_before_it_ends():
    names, _ = problems(production, {"lifetimes.session": "60", "lifetimes.session_update": "60"})

    assert names == ["lifetimes.session_update"]


def test_the_longest_life_of_a_session_is_no_shorter_than_an_extension():
    equal = {"lifetimes.session": "100000", "lifetimes.session_max": "100000"}

    assert problems(production, equal)[0] == []
    assert problems(production, equal | {"lifetimes.session_max": "99999"})[0] == [
        "lifetimes.session_max"
    ]


def test_a_refresh_family_lives_no_shorter_than_its_tokens():
    equal = {"lifetimes.refresh_token": "100", "lifetimes.refresh_family": "100"}

    assert problems(production, equal)[0] == []
    assert problems(production, equal | {"lifetimes.refresh_family": "99"})[0] == [
        "lifetimes.refresh_family"
    ]


@pytest.mark.parametrize("text", ["86399", "1", str(401 * 86400)])
def test_a_signing_key_lives_long_enough_for_its_successor_to_be_published(text):
    names, message = problems(production, {"lifetimes.signing_key": text})

    assert names == ["lifetimes.signing_key"]
    assert "from 86400 to 34560000" in message


def test_a_signing_key_may_live_for_a_day():
    lifetimes = production({"lifetimes.signing_key": "86400"}).lifetimes

    assert lifetimes.signing_key == timedelta(days=1)
