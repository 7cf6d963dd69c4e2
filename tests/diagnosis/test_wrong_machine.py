"""What ``authservice check`` finds of packages, Redis, the proxy in front, and the port."""

import resource
import socket
import sys
from pathlib import Path

import pytest
import redis

from tests.diagnosis.machine import finds
from tests.helpers.other_user import without_privileges
from tests.helpers.parts import machine_lacks
from tests.helpers.ports import free_port

# Packages


@pytest.mark.parametrize(
    ("package", "kind", "key", "value"),
    [
        (
            "psycopg",
            "packages.postgresql",
            "auth.database_url",
            "postgresql+psycopg://auth@127.0.0.1/auth",
        ),
        ("redis", "packages.redis", "ratelimit.storage", "redis://127.0.0.1/0"),
        ("prometheus_client", "packages.metrics", "metrics.listen", "127.0.0.1:9464"),
    ],
)
def test_a_package_that_is_not_installed(machine, monkeypatch, package, kind, key, value):
    monkeypatch.setitem(sys.modules, package, None)
    machine.set(key, value)

    finds(machine, (kind, key))


def test_traces_without_the_package_that_sends_them(machine, monkeypatch):
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    machine.environ(OTEL_TRACES_EXPORTER="otlp")

    finds(machine, ("packages.opentelemetry", "OTEL_TRACES_EXPORTER"))


# Rate limits


def test_several_workers_that_count_apart(machine):
    machine.set("workers", 4)

    finds(machine, ("rate_limits.per_process", "ratelimit.storage"))


@pytest.mark.attack("MACHINE-printed-password")
@pytest.mark.parametrize(("user", "query"), [(":p4ssw0rd@", ""), ("", "?password=p4ssw0rd")])
def test_a_redis_that_does_not_run(machine, user, query):
    machine.set("ratelimit.storage", f"redis://{user}127.0.0.1:{free_port()}/0{query}")

    (found,) = finds(machine, "rate_limits.unreachable")

    assert "p4ssw0rd" not in str(found)


def test_a_redis_that_wants_another_password(machine, redis_server):
    with redis.Redis.from_url(redis_server.url) as admin:
        admin.config_set("requirepass", "right")
        try:
            machine.set("ratelimit.storage", redis_server.url.replace("//", "//:wrong@"))

            finds(machine, "rate_limits.unreachable")
        finally:
            admin.config_set("requirepass", "")


# The proxy in front


@pytest.mark.parametrize("everybody", ["0.0.0.0/0", "::/0, 127.0.0.1"])
def test_everybody_as_a_trusted_proxy(machine, everybody):
    machine.set("auth.trusted_proxies", everybody)
    machine.set("listen_host", "0.0.0.0")

    finds(machine, ("proxies.everybody", "auth.trusted_proxies"))


def test_no_trusted_proxy(machine):
    machine.set("auth.trusted_proxies", None)

    finds(
        machine,
        ("proxies.nobody", "auth.trusted_proxies"),
        ("proxies.granian_alone", "[server:granian]"),
    )


def test_no_trusted_proxy_where_granian_has_no_section(machine):
    machine.set("auth.trusted_proxies", None)
    machine.text = machine.text.replace("[server:granian]", "[server:other]")

    finds(machine, "proxies.nobody")


def test_a_trusted_proxy_elsewhere_while_only_this_machine_can_connect(machine):
    machine.set("auth.trusted_proxies", "10.0.0.5")

    finds(machine, ("proxies.not_this_machine", "auth.trusted_proxies"))


def test_a_server_that_clears_what_the_proxy_says(machine):
    machine.set("clear_untrusted_proxy_headers", None)

    finds(machine, "proxies.headers_cleared")


# Listening


def test_a_port_that_another_program_has(machine):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        machine.set("listen_port", other.getsockname()[1])

        finds(machine, ("listening.taken", "listen_port"))


def test_an_address_of_another_machine(machine):
    machine.set("listen_host", "192.0.2.7")

    finds(machine, ("listening.not_here", "listen_host"))


def test_a_port_that_is_roots(machine):
    if int(Path("/proc/sys/net/ipv4/ip_unprivileged_port_start").read_text()) <= 81:
        machine_lacks("ports on which only root may listen")
    machine.set("listen_port", 81)
    with without_privileges():
        finds(machine, ("listening.not_allowed", "listen_port"))


def test_a_port_that_is_no_number(machine):
    machine.set("listen_port", "http")

    finds(machine, ("listening.no_port", "listen_port"))


def test_fewer_files_than_connections(machine):
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    machine.set("connection_limit", most)

    finds(machine, ("listening.files", "connection_limit"))


def test_the_check_changes_nothing(machine):
    before = machine.database_file.read_bytes()
    machine.check()

    assert [path.name for path in machine.data.iterdir()] == [machine.database_file.name]
    assert machine.database_file.read_bytes() == before
