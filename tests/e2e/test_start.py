"""What a real server does before it serves: it refuses what is wrong, and keeps what it made."""

import socket
import subprocess

import pytest
import requests

from tests.e2e.person import Person
from tests.helpers.processes import ROOT, SCRIPTS, LocalService


@pytest.fixture
def taken_port():
    """A port on which another program listens: a server that tried to would say so."""
    with socket.create_server(("127.0.0.1", 0)) as holder:
        yield holder.getsockname()[1]


def refused_start(ini, port, **env):
    """Start a server that must not serve; return its exit status and what it wrote."""
    ended = subprocess.run(
        [SCRIPTS / "pserve", ini, f"listen_port={port}"],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin"} | env,
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.stdout == ""
    return ended.returncode, ended.stderr.splitlines()


def test_a_wrong_configuration_names_every_problem_and_shows_no_traceback(taken_port, tmp_path):
    status, lines = refused_start(
        "production.ini",
        taken_port,
        AUTH_URL="http://auth.example.com",
        AUTH_COOKIE_DOMAIN=".example.org",
        AUTH_DATABASE_URL=f"sqlite:///{tmp_path}/production.sqlite",
        AUTH_SECRET="short and not base64",
        AUTH_SQLITE_SYNCHRONOUS="OFF",
    )

    assert status != 0
    assert lines[0] == "authservice: the configuration cannot be used:"
    named = {line.strip().split(":")[0] for line in lines[1:]}
    assert named >= {
        "AUTH_URL",
        "AUTH_COOKIE_DOMAIN",
        "AUTH_SECRET",
        "AUTH_SQLITE_SYNCHRONOUS",
        "PROVIDER_CLIENT_SECRET",
    }
    assert not any("Traceback" in line or "short and not base64" in line for line in lines)


def test_the_committed_file_lacks_the_two_secrets_and_who_may_sign_in(taken_port, tmp_path):
    database_url = f"sqlite:///{tmp_path}/production.sqlite"

    _, lines = refused_start("production.ini", taken_port, AUTH_DATABASE_URL=database_url)

    assert lines[0] == "authservice: the configuration cannot be used:"
    assert [line.split(":")[0].strip() for line in lines if line.startswith("  ")] == [
        "AUTH_SECRET",
        "PROVIDER_CLIENT_SECRET",
        "admission",
    ]
    for name in ("organizations", "users", "email_domains", "everyone"):
        assert any(f"admission.{name}" in line for line in lines)


def user_at(port, person, signed_in_at):
    """Return the id of the user at a port, for a person who signed in at another.

    A browser sends the cookies of localhost to every port, where they have other names.
    """
    cookies = {
        cookie.name.replace(f"-{signed_in_at}.", f"-{port}."): cookie.value
        for cookie in person.http.cookies
    }
    url = f"http://localhost:{port}/api/auth/get-session"
    return requests.get(url, cookies=cookies, timeout=20).json()["user"]["id"]


def test_a_second_start_keeps_sessions_and_keys(engine, database_url, stopped_in_the_end):
    env = {"AUTH_DATABASE_URL": database_url} | engine.local_environ
    first = stopped_in_the_end(LocalService("/nowhere", **env))
    person = Person(first.url)
    person.open(f"{first.url}/sign-in")
    keys = published_keys(first.url)
    first.stop()

    second = stopped_in_the_end(LocalService("/nowhere", **env))

    assert user_at(second.port, person, first.port) == "local-developer"
    assert published_keys(second.url) == keys


def published_keys(url):
    return requests.get(f"{url}/api/auth/jwks", timeout=20).json()["keys"]
