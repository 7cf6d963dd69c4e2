"""More connections than a server keeps: who waits gives way to who sends a request."""

import resource
from types import SimpleNamespace

import pytest

from authservice.serving.granian_options import GranianOptions
from authservice.serving.granian_threads import with_a_thread_each
from authservice.serving.open_files import affordable
from tests.helpers.processes import LocalService
from tests.serving.servers import COMMANDS, local_ini, wait_for

HALF = "GET /api/health HTTP/1.1\r\nHost: localhost\r\n"
BODY_TO_COME = (
    "POST /api/auth/oauth2/token HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\na="
)
# waitress counts three sockets of its own.
LIMIT = 12
# Nothing but what its clients do wakes it.
ASLEEP = "asyncore_loop_timeout = 3600"


@pytest.fixture
def server(tmp_path, stopped_in_the_end):
    ini = local_ini(tmp_path)
    text = ini.read_text(encoding="utf-8")
    limit = f"connection_limit = {LIMIT}\n{ASLEEP}"
    ini.write_text(text.replace("connection_limit = 1000", limit, 1), "utf-8")
    return stopped_in_the_end(LocalService(tmp_path, ini=ini))


def test_a_whole_request_is_answered_however_many_halves_came_before(server, connect):
    held = [connect(server.port) for _ in range(3 * LIMIT)]
    for connection in held:
        connection.send(HALF, may_break=True)
    asking = connect(server.port)

    asking.send(f"{HALF}\r\n")

    assert asking.answer()[0] == 200
    # As it was accepted and closed again, not kept waiting outside.
    assert held[0].is_over()


def test_who_was_answered_lately_keeps_the_connection(server, connect):
    idle = [connect(server.port) for _ in range(LIMIT)]
    asking, last = connect(server.port), connect(server.port)

    for connection in (asking, last, asking):
        connection.send(f"{HALF}\r\n")
        assert connection.answer()[0] == 200

    assert idle[0].ends()


@pytest.fixture
def granian(tmp_path, stopped_in_the_end):
    ini = local_ini(tmp_path)
    before, section, after = ini.read_text(encoding="utf-8").partition("[server:granian]")
    limited = after.replace("connection_limit = 1000", f"connection_limit = {LIMIT}")
    ini.write_text(f"{before}{section}{limited}", "utf-8")
    service = LocalService(tmp_path, command=COMMANDS["granian"], ini=ini)
    wait_for(service.port)
    return stopped_in_the_end(service)


@pytest.mark.attack("BROWSER-silent-connections")
@pytest.mark.parametrize("sent", ["", HALF, BODY_TO_COME])
def test_granian_answers_who_asks_however_many_do_not(granian, connect, sent):
    held = [connect(granian.port) for _ in range(5 * LIMIT)]
    for connection in held:
        connection.send(sent, may_break=True)
    asking = connect(granian.port)

    asking.send(f"{HALF}\r\n")

    assert asking.answer()[0] == 200
    # As it was accepted and closed again, not kept waiting outside.
    assert held[0].is_over()


@pytest.mark.attack("BROWSER-silent-connections")
def test_bodies_that_come_slowly_hold_nobody_up_and_are_answered_in_the_end(granian, connect):
    # More than the threads of the ini file, and fewer than there is room for.
    held = [connect(granian.port) for _ in range(LIMIT - 2)]
    for connection in held:
        connection.send(BODY_TO_COME)
    asking = connect(granian.port)

    for _ in range(2):
        asking.send(f"{HALF}\r\n")
        assert asking.answer()[0] == 200

    for connection in held:
        connection.send("b")
        assert connection.answer()[0] == 400
    assert granian.stop() == 0


@pytest.mark.attack("BROWSER-silent-connections")
@pytest.mark.parametrize("sent", [HALF, BODY_TO_COME])
def test_granian_stops_in_order_whatever_is_not_complete(granian, connect, sent):
    for _ in range(LIMIT - 2):
        connect(granian.port).send(sent)
    asking = connect(granian.port)
    asking.send(f"{HALF}\r\n")
    assert asking.answer()[0] == 200

    assert granian.stop() == 0

    assert not [line for line in granian.output if "refused to gracefully stop" in line]


@pytest.mark.attack("BROWSER-silent-connections")
def test_who_comes_is_noticed_however_many_keep_silent(server, connect):
    for _ in range(5 * LIMIT):
        connect(server.port)
    asking = connect(server.port)

    asking.send(f"{HALF}\r\n")

    assert asking.answer()[0] == 200


@pytest.mark.parametrize(
    ("threads", "connections"),
    [(96000, 1000), (2000, 464), (80, 16), (resource.RLIM_INFINITY, 1000)],
)
def test_there_are_threads_for_all_connections_of_granian(threads, connections, monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda _kind: (threads, threads))
    options = {"host": "127.0.0.1", "port": 1, "max_request_header_size": 8192}

    limit = with_a_thread_each(
        GranianOptions(workers=2, threads=4, connection_limit=1000, **options)
    )

    assert limit == connections


@pytest.mark.parametrize(("files", "connections"), [(2000, 1000), (1000, 904), (80, 16)])
def test_there_are_files_for_more_than_connections(files, connections, monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda _kind: (files, files))
    taken = []
    monkeypatch.setattr(resource, "setrlimit", lambda _kind, limits: taken.append(limits))

    assert affordable(SimpleNamespace(connection_limit=1000, threads=8)) == connections
    assert taken == [(files, files)]
