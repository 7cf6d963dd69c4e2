"""``pserve production.ini`` with settings that are missing or unsafe: it says so and ends."""

import base64
import subprocess

import pytest

from authservice.identity_provider import LOCAL_DEVELOPER
from authservice.services.people import users
from authservice.services.people.users import Profile
from tests.helpers.ports import free_port
from tests.helpers.processes import ROOT, SCRIPTS, clean_environment

SECRET = base64.b64encode(bytes(range(40, 72))).decode()
ENVIRON = {
    "AUTH_URL": "https://auth.example.com",
    "AUTH_COOKIE_DOMAIN": ".example.com",
    "AUTH_SECRET": SECRET,
    "PROVIDER_CLIENT_ID": "Ov23liExample",
    "PROVIDER_CLIENT_SECRET": "provider-secret-value",
    "ADMISSION_USERS": "id:583231",
}


@pytest.fixture
def start(tmp_path, database_url):
    """Start the server with changes, None taking a variable away; return status and last words."""

    def run(replace=("", ""), **changes):
        ini = (ROOT / "production.ini").read_text(encoding="utf-8")
        (tmp_path / "production.ini").write_text(ini.replace(*replace), encoding="utf-8")
        wanted = ENVIRON | {"AUTH_DATABASE_URL": database_url} | changes
        environ = {name: value for name, value in wanted.items() if value is not None}
        ended = subprocess.run(
            [SCRIPTS / "pserve", "production.ini", f"listen_port={free_port()}"],
            cwd=tmp_path,
            env=clean_environment() | environ,
            check=False,
            capture_output=True,
            text=True,
            timeout=60,
        )
        return ended.returncode, ended.stdout + ended.stderr

    return run


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"AUTH_URL": "http://auth.example.com"}, "AUTH_URL: production needs an https address"),
        ({"AUTH_URL": "https://auth.example.com/"}, "AUTH_URL: must be scheme and host"),
        ({"AUTH_COOKIE_DOMAIN": ".com"}, "AUTH_COOKIE_DOMAIN: is a public suffix"),
        (
            {"AUTH_URL": "https://auth.example.co.uk", "AUTH_COOKIE_DOMAIN": "co.uk"},
            "AUTH_COOKIE_DOMAIN: is a public suffix",
        ),
        (
            {"AUTH_URL": "https://me.github.io", "AUTH_COOKIE_DOMAIN": ".github.io"},
            "AUTH_COOKIE_DOMAIN: is a public suffix",
        ),
        ({"AUTH_COOKIE_DOMAIN": ".example.org"}, "AUTH_COOKIE_DOMAIN: must be the host"),
        ({"AUTH_SECRET": None}, "AUTH_SECRET: is missing; make one with: openssl rand"),
        ({"AUTH_SECRET": "c2hvcnQ="}, "AUTH_SECRET: must hold at least 32 random bytes"),
        ({"AUTH_SECRET_FILE": "/nowhere"}, "AUTH_SECRET: set either"),
        ({"PROVIDER_CLIENT_SECRET": None}, "PROVIDER_CLIENT_SECRET: is missing"),
        ({"ADMISSION_USERS": None}, "admission: say who may sign in"),
        ({"ADMISSION_EVERYONE": "true"}, "ADMISSION_EVERYONE: lets everyone in; remove it"),
        ({"ADMISSION_USERS": "octocat"}, "ADMISSION_USERS: 'octocat' must begin with"),
        ({"AUTH_DATABASE_URL": "sqlite:///nothing-here.sqlite"}, "authservice migrate --config"),
        ({"AUTH_DATABASE_URL": "mysql://u:p4ssw0rd@db/x"}, "AUTH_DATABASE_URL: must be sqlite"),
    ],
)
def test_each_problem_is_named_with_its_mend(start, changes, words):
    status, said = start(**changes)

    assert status != 0
    assert words in said
    assert "Traceback" not in said
    assert "Serving on" not in said


@pytest.mark.parametrize(
    ("line", "replacement", "words"),
    [
        ("auth.mode = production", "auth.mode = prod", "auth.mode: must be local or production"),
        ("auth.mode = production", "", "auth.mode: must be local or production"),
        (
            "auth.mode = production",
            f"auth.mode = production\nauth.secret = {SECRET}",
            "auth.secret: a secret never stands in an ini file",
        ),
        (
            "auth.trusted_proxies = 127.0.0.1",
            "auth.trusted_proxies = everybody",
            "auth.trusted_proxies: must list IP addresses",
        ),
        (
            "auth.trusted_proxies = 127.0.0.1",
            "auth.trusted_proxy = 127.0.0.1",
            "auth.trusted_proxy: is not a setting",
        ),
        (
            "auth.mode = production",
            "auth.mode = production\nratelimit.storage = memcached://x",
            "ratelimit.storage: must be memory:// or redis://",
        ),
    ],
)
def test_so_is_each_problem_of_the_ini_file(start, line, replacement, words):
    status, said = start(replace=(line, replacement))

    assert status != 0
    assert words in said
    assert SECRET not in said


def test_all_problems_are_named_at_once_without_a_secret(start):
    status, said = start(
        AUTH_URL="http://auth.example.com",
        AUTH_COOKIE_DOMAIN="com",
        AUTH_SECRET="not base64, but secret",
        PROVIDER_CLIENT_SECRET=None,
    )

    assert status != 0
    lines = said.partition("the configuration cannot be used:")[2].splitlines()
    names = [line.split(":")[0].strip() for line in lines if ":" in line]
    assert names[:4] == ["AUTH_URL", "AUTH_COOKIE_DOMAIN", "AUTH_SECRET", "PROVIDER_CLIENT_SECRET"]
    assert "but secret" not in said


def test_the_committed_file_lacks_the_two_secrets_and_who_may_sign_in(start):
    nothing = dict.fromkeys(ENVIRON)

    _, said = start(**nothing)

    lines = said.partition("the configuration cannot be used:\n")[2].splitlines()
    assert [line.split(":")[0].strip() for line in lines if line.startswith("  ")] == [
        "AUTH_SECRET",
        "PROVIDER_CLIENT_SECRET",
        "admission",
    ]
    for name in ("organizations", "users", "email_domains", "everyone"):
        assert f"admission.{name}" in said


def test_a_database_of_local_mode_is_refused(start, database):
    profile = Profile(
        provider_id=LOCAL_DEVELOPER,
        account_id=LOCAL_DEVELOPER,
        user_id=LOCAL_DEVELOPER,
        name="Local Developer",
        email="local-developer@localhost.localdomain",
        email_verified=True,
        image=None,
    )
    with database.transaction() as connection:
        users.from_profile(connection, profile)

    status, said = start()

    assert status != 0
    assert "production refuses this database: it holds the account local-developer" in said
