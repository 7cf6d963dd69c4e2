"""A server that is told to stop answers what is under way, and nothing holds it up."""

import ctypes
import os
import random
import select
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.helpers.connections import BODY, GET, begin
from tests.helpers.processes import LocalService
from tests.serving.servers import COMMANDS, EchoServer, Server
from tools.prove import stops


@pytest.fixture(params=COMMANDS)
def server(request, tmp_path, stopped_in_the_end):
    return stopped_in_the_end(Server(request.param, tmp_path))


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_request_under_way_is_answered_and_idle_connections_are_closed(server, connect, how):
    idle, fresh, asking = (connect(server.port) for _ in range(3))
    idle.send(GET)
    idle.answer()
    begin(asking)
    # Nobody waits for a request that is not complete.
    last = connect(server.port)
    last.send(GET)
    last.answer()

    os.kill(server.pid, how)

    # At once: how long a server waits for the rest is limited.
    asking.send(BODY)
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
    asking, idle = connect(server.port), connect(server.port)
    begin(asking)
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


@pytest.mark.parametrize(("server", "situation"), stops.CASES)
def test_it_ends_with_all_its_processes_whenever_it_is_told(server, situation):
    seed = random.SystemRandom().randrange(10**9)

    assert stops.stop(server, situation, random.Random(seed)) == [], f"seed {seed}"


def test_workers_that_are_told_too_may_end_first(tmp_path, stopped_in_the_end):
    granian = stopped_in_the_end(EchoServer("granian", tmp_path, "--workers=8", times=8))
    workers = [os.pidfd_open(worker) for worker in granian.children()]

    # systemd tells all processes of a service. The main one comes to it later than they do.
    os.kill(granian.pid, signal.SIGSTOP)
    os.waitid(os.P_PID, granian.pid, os.WSTOPPED)
    os.killpg(granian.pid, signal.SIGTERM)
    for worker in workers:
        assert select.select([worker], [], [], 20)[0]
        os.close(worker)
    os.kill(granian.pid, signal.SIGCONT)

    assert granian.wait() == 0


def test_a_worker_that_is_told_several_times_answers_what_is_under_way(
    tmp_path, stopped_in_the_end, connect
):
    granian = stopped_in_the_end(Server("granian", tmp_path))
    asking, idle = connect(granian.port), connect(granian.port)
    idle.send(GET)
    idle.answer()
    # Not before: granian may let a request wait for one that comes a moment sooner.
    begin(asking)

    os.kill(granian.pid, signal.SIGTERM)
    assert idle.ends()
    for _ in range(4):
        os.killpg(granian.pid, signal.SIGINT)
        os.killpg(granian.pid, signal.SIGTERM)
        # Those that wait at the same time are one.
        time.sleep(0.1)

    asking.send(BODY)
    assert asking.answer()[0] == 401
    assert granian.wait() == 0
