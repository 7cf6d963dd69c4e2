"""How a configuration is refused: everything at once, each with its remedy, without secrets."""

import base64

import pytest

from tests.unit.settings.loading import SECRET, local, problems, production


def test_every_problem_is_named_at_once():
    names, text = problems(
        production,
        {
            "auth.url": "http://auth.example.com",
            "auth.cookie_domain": "com",
            "auth.database_url": "mysql://db",
            "auth.sqlite_synchronous": "OFF",
            "auth.cookie_prefix": "a b",
            "auth.trusted_origins": "http://app.example.com",
            "auth.trusted_proxies": "not-a-network",
            "auth.resources": "relative",
            "auth.nonsense": "1",
            "auth.secret": "x",
            "provider.client_id": None,
            "provider.id": "Git Hub",
            "provider.token_url": "ftp://x",
            "ratelimit.storage": "file://",
            "lifetimes.code": "0",
        },
        {"AUTH_SECRET": None, "PROVIDER_CLIENT_SECRET": None},
    )

    assert sorted(names) == [
        "AUTH_SECRET",
        "PROVIDER_CLIENT_SECRET",
        "auth.cookie_domain (AUTH_COOKIE_DOMAIN)",
        "auth.cookie_prefix",
        "auth.database_url (AUTH_DATABASE_URL)",
        "auth.nonsense",
        "auth.resources",
        "auth.secret",
        "auth.sqlite_synchronous (AUTH_SQLITE_SYNCHRONOUS)",
        "auth.trusted_origins",
        "auth.trusted_proxies",
        "auth.url (AUTH_URL)",
        "lifetimes.code",
        "provider.client_id (PROVIDER_CLIENT_ID)",
        "provider.id",
        "provider.token_url",
        "ratelimit.storage",
    ]
    lines = text.splitlines()
    assert lines[0] == "the configuration cannot be used:"
    assert len(lines) == 1 + len(names)
    for line in lines[1:]:
        name, _, remedy = line.strip().partition(": ")
        assert name in names
        assert len(remedy) > 10


def test_each_problem_is_named_with_its_mend(subtests):
    for ini, environ, words in (
        (
            {},
            {"AUTH_URL": "http://auth.example.com"},
            "AUTH_URL: production needs an https address",
        ),
        ({}, {"AUTH_URL": "https://auth.example.com/"}, "AUTH_URL: must be scheme and host"),
        ({}, {"AUTH_COOKIE_DOMAIN": ".com"}, "AUTH_COOKIE_DOMAIN: is a public suffix"),
        ({}, {"AUTH_COOKIE_DOMAIN": ".example.org"}, "AUTH_COOKIE_DOMAIN: must be the host"),
        (
            {},
            {"AUTH_SECRET": None},
            "AUTH_SECRET: not set; make one with: openssl rand -base64 32",
        ),
        ({}, {"AUTH_SECRET": "c2hvcnQ="}, "AUTH_SECRET: must hold at least 32 random bytes"),
        ({}, {"PROVIDER_CLIENT_SECRET": None}, "PROVIDER_CLIENT_SECRET: not set"),
        ({}, {"ADMISSION_EVERYONE": None}, "admission: say who may sign in"),
        ({}, {"ADMISSION_USERS": "octocat"}, "ADMISSION_USERS: 'octocat' must begin with"),
        (
            {},
            {"AUTH_DATABASE_URL": "mysql://u:p4ssw0rd@db/x"},
            "AUTH_DATABASE_URL: must be sqlite",
        ),
        (
            {"auth.trusted_proxies": "everybody"},
            {},
            "auth.trusted_proxies: must list IP addresses",
        ),
        ({"auth.trusted_proxy": "127.0.0.1"}, {}, "auth.trusted_proxy: no such setting"),
        (
            {"ratelimit.storage": "memcached://x"},
            {},
            "ratelimit.storage: must be memory:// or redis://",
        ),
    ):
        with subtests.test(words=words):
            _, text = problems(production, ini, environ)

            assert words in text
            assert SECRET not in text
            assert "p4ssw0rd" not in text


def test_only_the_two_words_name_a_mode(subtests):
    for mode in (None, "", "Local", "prod", "LOCAL", "local,production"):
        with subtests.test(mode=mode):
            names, text = problems(local, {"auth.mode": mode})

            assert "auth.mode" in names
            assert "must be local or production" in text
            # What is not a mode is held to the rules of production.
            assert "PROVIDER_CLIENT_SECRET" in names


def test_a_weak_or_malformed_server_secret_is_refused_and_not_repeated(subtests):
    for secret in (
        "not base64!",
        "c2hvcnQ=",
        base64.b64encode(bytes(31)).decode(),
        base64.b64encode(bytes(32)).decode(),
        base64.b64encode(b"ab" * 16).decode(),
        base64.b64encode(bytes(range(11)) * 3).decode(),
        "A" * 43,
        "ä" * 44,
        SECRET + "!",
        SECRET[:-1] + "=*",
    ):
        for variable in ("AUTH_SECRET", "AUTH_SECRET_PREVIOUS"):
            with subtests.test(secret=secret, variable=variable):
                names, text = problems(production, (), {variable: secret})

                assert names == [variable]
                assert "openssl rand -base64 32" in text
                assert secret not in text


@pytest.mark.parametrize(
    "secret",
    [
        base64.b64encode(bytes(range(200, 232))).decode(),
        base64.b64encode(bytes(range(200, 232))).decode().rstrip("="),
        base64.urlsafe_b64encode(bytes(range(200, 232))).decode(),
    ],
)
def test_base64_may_be_of_either_alphabet_with_or_without_padding(secret):
    assert production((), {"AUTH_SECRET": secret}).auth_secret == bytes(range(200, 232))


def test_a_repr_shows_no_secret():
    settings = production(
        {"ratelimit.storage": "redis://:redis-password@cache/0"},
        {
            "AUTH_SECRET_PREVIOUS": SECRET,
            "AUTH_DATABASE_URL": "postgresql+psycopg://u:db-password@host/db",
        },
    )

    for text in (repr(settings), str(settings), f"{settings}"):
        assert "provider-secret-value" not in text
        assert "redis-password" not in text
        assert "db-password" not in text
        assert repr(settings.auth_secret) not in text
        assert SECRET not in text
