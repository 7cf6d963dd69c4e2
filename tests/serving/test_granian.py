"""``authservice-granian``: workers as one service, and what it says when it cannot serve."""

import os
import select
import signal
import socket
import subprocess
import sys
import threading
from functools import partial

import pytest
import requests

from authservice.serving.granian_launcher import _server
from authservice.serving.granian_options import GranianOptions
from tests.e2e.person import Person
from tests.helpers.ports import free_port
from tests.helpers.processes import ROOT, SCRIPTS, LocalService, finished
from tests.helpers.waiting import until
from tests.serving.servers import COMMANDS, EchoServer, Server, local_ini, wait_for

GET = "GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n"
LIMIT = 2
THREADS = 8
LONG_BODIES = 16
LONG = (
    "POST /api/auth/provider/webhook HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
    "Content-Length: 65537\r\n\r\n"
)


def refuses(port):
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return True
    return False


def held(granian, times):
    return granian.output.count("held\n") == times


def test_workers_are_one_service_with_the_same_keys_and_sessions(tmp_path, stopped_in_the_end):
    server = stopped_in_the_end(Server("granian", tmp_path, workers=3))
    person = Person(server.url)
    person.open(f"{server.url}/sign-in")
    cookies = person.http.cookies

    documents = set()
    for _ in range(30):
        # A connection of its own each time: the system hands it to any worker.
        answer = requests.get(f"{server.url}/api/auth/get-session", cookies=cookies, timeout=20)
        assert answer.json()["user"]["id"] == "local-developer"
        documents.add(requests.get(f"{server.url}/api/auth/jwks", timeout=20).text)

    assert len(documents) == 1
    assert server.stop() == 0
    assert not list(tmp_path.glob("local.sqlite-*"))


def test_each_worker_closes_its_application(tmp_path, stopped_in_the_end):
    server = stopped_in_the_end(EchoServer("granian", tmp_path, "--workers=2", times=2))

    assert server.stop() == 0

    assert server.output.count("closed\n") == 2


def test_who_finds_no_place_waits_until_a_connection_ends(tmp_path, stopped_in_the_end, connect):
    ini = changed(tmp_path, "connection_limit = 1000", f"connection_limit = {LIMIT}")
    granian = stopped_in_the_end(LocalService(tmp_path, command=COMMANDS["granian"], ini=ini))
    wait_for(granian.port)
    answered, silent = connect(granian.port), connect(granian.port)
    for connection in (answered, silent):
        connection.send(GET)
        assert connection.answer()[0] == 200
    waiting = connect(granian.port)
    waiting.send(GET)

    # A client that has a place is answered meanwhile.
    for _ in range(10):
        answered.send(GET)
        assert answered.answer()[0] == 200
    assert select.select([waiting.socket], [], [], 0)[0] == []

    silent.close()
    assert waiting.answer()[0] == 200


def test_an_application_that_fails_is_answered_for_and_logged_once(
    subtests, tmp_path, stopped_in_the_end, connect
):
    granian = stopped_in_the_end(EchoServer("granian", tmp_path))
    for lines in ("", "Content-Length: 0\r\n"):
        with subtests.test(lines=lines):
            connection = connect(granian.port)
            connection.send(f"POST /broken HTTP/1.1\r\n{lines}Host: localhost\r\n\r\n")
            assert connection.answer() == (500, b"Internal server error")

    granian.stop()
    assert "".join(granian.output).count("RuntimeError: of the application") == 2


def test_it_closes_nothing_while_a_request_is_under_way_whose_client_is_gone(
    subtests, tmp_path, stopped_in_the_end, connect
):
    for lines in ("", "Content-Length: 0\r\n"):
        with subtests.test(lines=lines):
            granian = stopped_in_the_end(EchoServer("granian", tmp_path))
            fifo = tmp_path / f"fifo{len(lines)}"
            os.mkfifo(fifo)
            # One more than may be answered at a time.
            gone = [connect(granian.port) for _ in range(THREADS + 1)]
            for each in gone:
                each.send(f"POST /held?{fifo} HTTP/1.1\r\n{lines}Host: localhost\r\n\r\n")
            until(partial(held, granian, THREADS))
            with fifo.open("wb", buffering=0) as let_go:
                for each in gone:
                    each.close()
                os.kill(granian.pid, signal.SIGTERM)
                until(partial(refuses, granian.port))
                let_go.write(bytes(len(gone)))
                assert granian.wait() == 0
            assert granian.output.count("let go\n") >= THREADS
            assert granian.output[-2:] == ["let go\n", "closed\n"]


def test_only_so_many_long_bodies_are_received_at_a_time(tmp_path, stopped_in_the_end, connect):
    granian = stopped_in_the_end(EchoServer("granian", tmp_path))
    held = [connect(granian.port) for _ in range(LONG_BODIES)]
    for connection in held:
        connection.send(LONG)
        # So it is waited for.
        assert connection.line() == "HTTP/1.1 100 Continue"
        assert connection.line() == ""
    waiting, other = connect(granian.port), connect(granian.port)
    waiting.send(LONG)

    for _ in range(10):
        other.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\na")
        assert other.answer()[0] == 200
    assert select.select([waiting.socket], [], [], 0)[0] == []

    held[0].close()
    assert waiting.line() == "HTTP/1.1 100 Continue"


def run(*arguments, **env):
    ended = finished([SCRIPTS / "authservice-granian", *arguments], env=env)
    return ended.returncode, ended.stderr


def test_a_second_signal_does_not_break_off_what_the_first_one_closes(tmp_path):
    ini = local_ini(tmp_path, "use = call:tests.serving.echo:told_twice\n")

    status, output = run(ini, f"listen_port={free_port()}", PYTHONPATH=str(ROOT))

    # Of the worker alone, so it is none that the main process expected.
    assert status == 1
    assert output.count("closed\n") == 1
    assert "Traceback" not in output


def changed(folder, old, new):
    ini = local_ini(folder)
    text = ini.read_text(encoding="utf-8")
    assert old in text
    ini.write_text(text.replace(old, new), encoding="utf-8")
    return ini


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("\nworkers = 1\n", "\nworkers = 0\n", "workers must be a whole number from 1 to 256"),
        ("\nworkers = 1\n", "\n", "workers is missing"),
        ("\nworkers = 1\n", "\nworkers = 1\nworker = 2\n", "worker is not an option"),
        (
            "max_request_header_size = 32768\n\n",
            "max_request_header_size = 100\n\n",
            "max_request_header_size must be a whole number from 8192 to 1048576",
        ),
    ],
)
def test_a_wrong_section_is_refused_by_name(tmp_path, old, new, said):
    status, output = run(changed(tmp_path, old, new))

    assert status == 1
    assert output == f"authservice-granian: [server:granian]: {said}\n"


def test_an_ini_file_without_the_section_is_refused():
    status, output = run("local.ini")

    assert status == 1
    assert output.startswith("authservice-granian: [server:granian]: host is missing; port is")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere.ini"], "authservice-granian: there is no file nowhere.ini"),
        (["production.ini", "listen_port"], "'listen_port' is not NAME=VALUE"),
        (["production.ini", "--workers", "many"], "workers must be a whole number from 1 to 256"),
        (["production.ini", "listen_port=x"], "port must be a whole number from 1 to 65535"),
    ],
)
def test_wrong_arguments_are_refused(arguments, said):
    status, output = run(*arguments)

    assert status != 0
    assert said in output
    assert "Traceback" not in output


def test_it_does_not_share_the_port_of_another_server(tmp_path):
    with socket.create_server(("127.0.0.1", 0), reuse_port=True) as holder:
        port = holder.getsockname()[1]
        status, output = run(local_ini(tmp_path), f"listen_port={port}")

    assert status == 1
    assert output.startswith("authservice-granian: [Errno 98] Address already in use")
    assert "Traceback" not in output


def test_an_application_that_may_not_serve_says_why_once(tmp_path):
    database = f"sqlite:///{tmp_path}/nothing.sqlite"

    status, output = run(
        local_ini(tmp_path), f"listen_port={free_port()}", AUTH_DATABASE_URL=database
    )

    assert status == 1
    assert output.count(f"the database {tmp_path}/nothing.sqlite is not migrated; run, with") == 1
    assert "Traceback" not in output


def test_without_granian_it_says_what_to_install():
    code = "import sys; sys.modules['granian'] = None;import authservice.serving.granian_launcher"
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, check=False, capture_output=True, text=True
    )

    assert ended.returncode == 1
    assert ended.stderr == (
        "authservice-granian: granian is missing; install it: pip install 'authservice[granian]'\n"
    )


def test_a_signal_that_comes_while_another_is_taken_note_of_waits_for_nothing(monkeypatch):
    class Noted(threading.Event):
        def set(self):
            # What granian's handler waits for, where one comes within another.
            with self._cond:
                signal.raise_signal(signal.SIGTERM)
                signal.raise_signal(signal.SIGINT)
            super().set()

    options = dict.fromkeys(("port", "workers", "threads", "connection_limit"), 1)
    server = _server(GranianOptions(host="127.0.0.1", max_request_header_size=32768, **options))
    monkeypatch.setattr(server, "main_loop_interrupt", Noted())
    kept = {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT)}
    try:
        for each in kept:
            signal.signal(each, server.signal_handler_interrupt)
        signal.raise_signal(signal.SIGTERM)
    finally:
        for each, handler in kept.items():
            signal.signal(each, handler)

    assert server.interrupt_signal
    assert server.main_loop_interrupt.is_set()
