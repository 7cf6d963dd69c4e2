"""What a real server does before it serves: it refuses what is wrong, and keeps what it made."""

import socket
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest
import requests

from tests.e2e.person import Person
from tests.helpers.ports import free_port
from tests.helpers.processes import ROOT, SCRIPTS, LocalService, Process

SERVING = "Serving on"


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


@pytest.mark.parametrize("made", ["nothing", "an empty file"])
def test_a_server_does_not_serve_on_a_database_without_the_migration(taken_port, tmp_path, made):
    file = tmp_path / "local.sqlite"
    if made == "an empty file":
        file.touch()

    status, lines = refused_start("local.ini", taken_port, AUTH_DATABASE_URL=f"sqlite:///{file}")

    assert status != 0
    assert lines == [
        "authservice: the database is not migrated; run: authservice migrate --config local.ini"
    ]
    assert file.exists() == (made == "an empty file")


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


@pytest.fixture
def stopped_in_the_end():
    """Take what was started; all of it is stopped, however the test ends."""
    with ExitStack() as stack:

        def take(process):
            stack.callback(process.stop)
            return process

        yield take


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


def test_processes_that_start_together_publish_the_same_three_keys(
    engine, database_url, stopped_in_the_end
):
    ports = [free_port() for _ in range(4)]

    def start(port):
        env = {
            "AUTH_URL": f"http://localhost:{port}",
            "AUTH_DATABASE_URL": database_url,
        } | engine.local_environ
        command = [SCRIPTS / "pserve", "local.ini", f"listen_port={port}"]
        stopped_in_the_end(Process(command, ready=SERVING, env=env))

    with ThreadPoolExecutor(len(ports)) as pool:
        list(pool.map(start, ports))

    documents = [published_keys(f"http://localhost:{port}") for port in ports]
    assert sorted(key["alg"] for key in documents[0]) == ["ES256", "EdDSA", "RS256"]
    assert all(document == documents[0] for document in documents)
    # One secret too: a cookie of the first is good at each.
    person = Person(f"http://localhost:{ports[0]}")
    person.open(f"http://localhost:{ports[0]}/sign-in")
    for port in ports:
        assert user_at(port, person, ports[0]) == "local-developer"


def published_keys(url):
    return requests.get(f"{url}/api/auth/jwks", timeout=20).json()["keys"]
