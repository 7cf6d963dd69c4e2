"""Where a server listens, what it says of it, and what it says when it cannot."""

import re
import socket
import ssl
import subprocess

import pytest

from tests.helpers.ports import free_port
from tests.helpers.processes import ROOT, SCRIPTS, LocalService, clean_environment
from tests.serving.servers import COMMANDS, EchoServer, Server

HEALTH = b"GET /api/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


needs_ipv6 = pytest.mark.skipif(not has_ipv6(), reason="this machine has no ::1")


@pytest.fixture
def service(tmp_path, stopped_in_the_end):
    return stopped_in_the_end(LocalService(tmp_path))


@needs_ipv6
def test_local_mode_answers_at_both_addresses_of_this_machine(service):
    for host in ("127.0.0.1", "::1"):
        with socket.create_connection((host, service.port), timeout=20) as connection:
            connection.sendall(HEALTH)
            assert connection.makefile("rb").readline() == b"HTTP/1.1 200 OK\r\n"

    assert service.stop() == 0


def test_local_mode_names_the_address_to_open_and_no_other(service):
    service.stop()
    said = "".join(service.output)

    assert re.findall(r"https?://\S+", said) == [service.url]
    assert "Open it in a browser and sign in" in said


def test_a_port_that_is_not_that_of_auth_url_is_named_beside_it(tmp_path, stopped_in_the_end):
    elsewhere = "http://localhost:9"

    server = stopped_in_the_end(LocalService(tmp_path, AUTH_URL=elsewhere))

    server.stop()
    said = "".join(server.output)
    assert f"Serving on http://127.0.0.1:{server.port}" in said
    assert f"AUTH_URL is {elsewhere}, so that address has to lead here" in said


def test_production_listens_where_its_ini_file_says_and_nowhere_else(tmp_path, stopped_in_the_end):
    server = stopped_in_the_end(EchoServer("waitress", tmp_path))

    assert f"Serving on http://127.0.0.1:{server.port}\n" in "".join(server.output)
    with pytest.raises(OSError, match=r"refused|assign|available"):
        socket.create_connection(("::1", server.port), timeout=20)


def start(tmp_path, *variables):
    """Start pserve where it cannot serve; return its exit status and what it wrote."""
    url = f"sqlite:///{tmp_path}/local.sqlite"
    env = clean_environment() | {"AUTH_DATABASE_URL": url}
    migrate = [SCRIPTS / "authservice", "migrate", "--config", "local.ini"]
    subprocess.run(migrate, cwd=ROOT, env=env, check=True, capture_output=True)
    ended = subprocess.run(
        [SCRIPTS / "pserve", "local.ini", *variables],
        cwd=ROOT,
        env=env,
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return ended.returncode, ended.stderr.splitlines()


@pytest.mark.parametrize("host", ["127.0.0.1", pytest.param("::1", marks=needs_ipv6)])
def test_a_port_that_is_taken_is_said_in_one_line(tmp_path, host):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, free_port()), family=family) as holder:
        port = holder.getsockname()[1]
        status, lines = start(tmp_path, f"listen_port={port}")

    address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    assert status == 1
    assert lines[-1] == (
        f"authservice: cannot listen on {address}: Address already in use; end the program that"
        " listens there, which ss -ltnp names, or set another listen_port"
    )
    assert not any("Traceback" in line for line in lines)


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        (["listen_host=192.0.2.1"], "set listen_host to an address of this machine"),
        (["listen_port=many"], "[server:main] cannot be used: Invalid host/port specified."),
    ],
)
def test_an_address_that_is_none_is_said_in_one_line(tmp_path, variables, said):
    status, lines = start(tmp_path, *variables)

    assert status == 1
    assert said in lines[-1]
    assert not any("Traceback" in line for line in lines)


@pytest.mark.attack("BROWSER-silent-connections")
@pytest.mark.parametrize("name", COMMANDS)
def test_a_client_that_begins_tls_is_cut_off_at_once(name, tmp_path, stopped_in_the_end):
    server = stopped_in_the_end(Server(name, tmp_path))
    context = ssl.create_default_context()

    with (
        socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection,
        pytest.raises((ssl.SSLError, ConnectionError)),
    ):
        context.wrap_socket(connection, server_hostname="localhost")

    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(HEALTH)
        assert connection.makefile("rb").readline() == b"HTTP/1.1 200 OK\r\n"


def test_the_log_says_that_somebody_began_tls(service, connect):
    connection = connect(service.port)
    connection.send("\x16\x03\x01\x02\x00\x01")

    assert connection.ends()
    service.stop()
    said = [line for line in service.output if "began TLS" in line]
    assert len(said) == 1
    assert "this port speaks plain HTTP: open it by http://" in said[0]
