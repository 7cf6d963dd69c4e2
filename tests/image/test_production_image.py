"""The production image: no local mode in it, settings and secrets from outside, migrated first."""

import base64
import secrets

import pytest
import redis
import requests

from tests.helpers.processes import ROOT
from tests.image import container
from tests.image.container import stop_in_mid_request
from tests.image.store import PRODUCTION
from tests.services.redis_server import RedisServer
from tests.serving.servers import wait_for

PORT = 8080
URL = f"http://127.0.0.1:{PORT}"
HOST = {"Host": "auth.example.com"}
ADDRESS = ["listen_host=0.0.0.0", "listen_port=8080"]
# The image's own command, and the one that takes its place.
SERVERS = {"pserve": [], "authservice-granian": ["authservice-granian", "production.ini", *ADDRESS]}
MIGRATE = ["authservice", "migrate", "--config", "production.ini"]


def mounted(file, name):
    return f"--volume={file}:{name}:ro"


@pytest.fixture(scope="module")
def rate_limits(tmp_path_factory):
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    yield server
    server.stop()


@pytest.fixture(scope="module")
def settings(tmp_path_factory, rate_limits):
    """The options that give settings and secrets: an ini file, variables and files of secrets."""
    folder = tmp_path_factory.mktemp("settings")
    ini = (ROOT / "production.ini").read_text(encoding="utf-8")
    storage = f"ratelimit.storage = {rate_limits.url}\nprovider.client_id ="
    files = {
        "production.ini": ini.replace("provider.client_id =", storage),
        "auth_secret": base64.b64encode(secrets.token_bytes(32)).decode(),
        "provider_client_secret": secrets.token_hex(20),
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
        # Their owner is not the user in the container.
        (folder / name).chmod(0o644)
    return [
        mounted(folder / "production.ini", "/app/production.ini"),
        mounted(folder / "auth_secret", "/run/secrets/auth_secret"),
        mounted(folder / "provider_client_secret", "/run/secrets/provider_client_secret"),
        "--env=AUTH_SECRET_FILE=/run/secrets/auth_secret",
        "--env=PROVIDER_CLIENT_SECRET_FILE=/run/secrets/provider_client_secret",
        "--env=PROVIDER_CLIENT_ID=Ov23liExample",
        "--env=ADMISSION_EVERYONE=true",
    ]


@pytest.fixture(scope="module", params=SERVERS)
def service(request, start, volume, settings):
    """The service, after the step that comes before every new version."""
    migrated = container.run(PRODUCTION, *MIGRATE, options=[*volume, *settings])
    assert migrated.returncode == 0, migrated.stderr
    options = [*volume, *settings]
    started = start(request.param, PRODUCTION, *options, command=SERVERS[request.param])
    wait_for(PORT)
    yield started
    started.stop()


@pytest.mark.parametrize("environ", [[], ["--env=AUTH_MODE=local"]])
def test_local_mode_cannot_be_switched_on(environ):
    ini = mounted(ROOT / "local.ini", "/app/production.ini")

    refused = container.run(PRODUCTION, options=[ini, *environ])

    assert refused.returncode == 1
    assert "auth.mode: must be production; this build has no local mode" in refused.stderr


def test_neither_package_nor_settings_of_local_mode_are_in_it():
    names = ["-name", "local.ini", "-o", "-name", "local_mode"]

    found = container.run(PRODUCTION, "find", "/app", "/opt", *names)

    assert (found.returncode, found.stdout) == (0, "")


def test_it_has_no_settings_of_its_own():
    refused = container.run(PRODUCTION)

    assert refused.returncode != 0
    assert "production.ini" in refused.stderr


def test_it_does_not_start_before_the_migration(settings):
    refused = container.run(PRODUCTION, options=settings)

    assert refused.returncode == 1
    assert " is not migrated; run: authservice migrate" in refused.stderr


def test_it_has_what_its_settings_may_ask_for():
    modules = "import granian, prometheus_client, psycopg, redis"

    assert container.run(PRODUCTION, "python", "-c", modules).returncode == 0


def test_it_serves_with_the_settings_and_secrets_it_is_given(service):
    metadata = requests.get(
        f"{URL}/api/auth/.well-known/openid-configuration", headers=HOST, timeout=20
    ).json()
    page = requests.get(f"{URL}/sign-in", headers=HOST, timeout=20)

    assert metadata["issuer"] == "https://auth.example.com/api/auth"
    assert "GitHub" in page.text
    assert "local developer" not in page.text.lower()
    assert service.healthy()


def test_it_counts_in_redis(service, rate_limits):
    requests.get(f"{URL}/sign-in", headers=HOST, timeout=20)

    with redis.Redis.from_url(rate_limits.url) as connection:
        assert connection.keys()


def test_it_is_one_process_without_rights(service):
    command, status = service.process_1()

    assert any(word.endswith(f"/{service.name}") for word in command)
    assert status["Uid"].split() == ["10001"] * 4
    assert {status[kind] for kind in ("CapInh", "CapPrm", "CapEff", "CapBnd")} == {"0" * 16}


def test_a_stop_answers_what_is_under_way(service, connect):
    assert stop_in_mid_request(service, connect, PORT) == ((401, "invalid_client"), 0)
