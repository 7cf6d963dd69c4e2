"""A server that is told to stop answers what is under way, and nothing holds it up."""

import ctypes
import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest

from tests.helpers.processes import LocalService
from tests.serving.servers import COMMANDS, Server

GET = "GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n"
HALF = (
    "POST /api/auth/oauth2/token HTTP/1.1\r\nHost: localhost\r\n"
    "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 21\r\n\r\ngrant_type"
)
REST = "=password&a"


@pytest.fixture(params=COMMANDS)
def server(request, tmp_path, stopped_in_the_end):
    return stopped_in_the_end(Server(request.param, tmp_path))


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_request_under_way_is_answered_and_idle_connections_are_closed(server, connect, how):
    idle, fresh, asking = (connect(server.port) for _ in range(3))
    idle.send(GET)
    idle.answer()
    asking.send(HALF)
    # Answered on a connection that was opened later: what came before has been read.
    last = connect(server.port)
    last.send(GET)
    last.answer()

    os.kill(server.pid, how)

    # At once: how long a server waits for the rest is limited.
    asking.send(REST)
    status, body = asking.answer()
    assert (status, b"invalid_client" in body) == (401, True)
    assert all(connection.ends() for connection in (idle, fresh, last))
    # It stops listening at about the same moment: one that came just before that is ended too.
    with suppress(ConnectionRefusedError, ConnectionResetError):
        assert connect(server.port).ends()
    assert server.wait() == 0


def test_it_leaves_a_database_that_needs_no_recovery(server, tmp_path, connect):
    connection = connect(server.port)
    connection.send(GET)
    connection.answer()

    assert server.stop() == 0

    assert not list(tmp_path.glob("local.sqlite-*"))
    assert (tmp_path / "local.sqlite").exists()


def test_a_second_signal_does_not_wait(tmp_path, stopped_in_the_end, connect):
    server = stopped_in_the_end(LocalService(tmp_path))
    asking = connect(server.port)
    asking.send(HALF)
    idle = connect(server.port)
    idle.send(GET)
    idle.answer()

    os.kill(server.pid, signal.SIGTERM)
    assert idle.ends()
    os.kill(server.pid, signal.SIGTERM)

    assert server.wait() == -signal.SIGTERM


@pytest.mark.parametrize("process", ["main", "worker"])
def test_granian_stops_whichever_thread_a_signal_comes_to(tmp_path, stopped_in_the_end, process):
    # Linux may give it to any thread. Python acts on it in the main one, which waits for an event.
    granian = stopped_in_the_end(Server("granian", tmp_path))
    told = granian.pid if process == "main" else granian.children()[0]
    # Linux begins again with low numbers: a later thread does not always have a higher one.
    threads = {int(path.name) for path in Path(f"/proc/{told}/task").iterdir()}
    thread = (threads - {told}).pop()

    assert ctypes.CDLL(None).tgkill(told, thread, signal.SIGTERM) == 0

    # Without its worker, granian ends by itself.
    assert granian.wait() == (0 if process == "main" else 1)
