"""More connections than waitress keeps: who waits gives way to who sends a request."""

import resource
from types import SimpleNamespace

import pytest

from authservice.serving.waitress_connections import affordable
from tests.processes import LocalService
from tests.serving.servers import local_ini

HALF = "GET /api/health HTTP/1.1\r\nHost: localhost\r\n"
# waitress counts three sockets of its own.
LIMIT = 12


@pytest.fixture
def server(tmp_path, stopped_in_the_end):
    ini = local_ini(tmp_path)
    text = ini.read_text(encoding="utf-8")
    ini.write_text(text.replace("connection_limit = 1000", f"connection_limit = {LIMIT}"), "utf-8")
    return stopped_in_the_end(LocalService(tmp_path, ini=ini))


def test_a_whole_request_is_answered_however_many_halves_came_before(server, connect):
    held = [connect(server.port) for _ in range(3 * LIMIT)]
    for connection in held:
        connection.send(HALF, may_break=True)
    asking = connect(server.port)

    asking.send(f"{HALF}\r\n")

    assert asking.answer()[0] == 200
    # As it was accepted and closed again, not kept waiting outside.
    assert held[0].line() == ""


def test_who_was_answered_lately_keeps_the_connection(server, connect):
    idle = [connect(server.port) for _ in range(LIMIT)]
    asking, last = connect(server.port), connect(server.port)

    for connection in (asking, last, asking):
        connection.send(f"{HALF}\r\n")
        assert connection.answer()[0] == 200

    assert idle[0].ends()


@pytest.mark.parametrize(("files", "connections"), [(2000, 1000), (1000, 904), (80, 16)])
def test_there_are_files_for_more_than_connections(files, connections, monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda _kind: (files, files))
    taken = []
    monkeypatch.setattr(resource, "setrlimit", lambda _kind, limits: taken.append(limits))

    assert affordable(SimpleNamespace(connection_limit=1000, threads=8)) == connections
    assert taken == [(files, files)]
