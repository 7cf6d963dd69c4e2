"""More connections than waitress keeps: who waits gives way to who sends a request."""

import resource
import socket
from collections import deque
from functools import partial
from types import SimpleNamespace

import pytest
from waitress.server import create_server

from authservice.serving import waitress_channel
from authservice.serving.open_files import affordable
from authservice.serving.waitress_channel import Bodies, Channel
from authservice.serving.waitress_runner import cut_unread, make_room
from tests.helpers.processes import LocalService
from tests.serving.servers import COMMANDS, Server, local_ini

HALF = "GET /api/health HTTP/1.1\r\nHost: localhost\r\n"
BODY_TO_COME = (
    "POST /api/auth/oauth2/token HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\na="
)
# More than the threads of the ini file.
MANY_BODIES = 10
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


@pytest.mark.attack("BROWSER-unread-answers")
def test_who_asks_much_at_once_and_takes_no_answer_keeps_nobody_out(server, connect):
    much = "GET /api/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 160
    for _ in range(2 * LIMIT):
        connect(server.port).send(much, may_break=True)

    for _ in range(3):
        asking = connect(server.port)
        asking.send(f"{HALF}\r\n")
        assert asking.answer()[0] == 200


# More than the kernel takes for a client that reads nothing, and less than waitress holds.
_LARGE = b"x" * 12_000_000


class Waitress:
    """waitress with our connections in this process, without threads: a test says what happens."""

    def __init__(self):
        self.sockets = {}
        self.tasks = deque()
        self.requested = []
        self.clients = []
        served = SimpleNamespace(add_task=self.tasks.append)
        self.server = create_server(self._answer, self.sockets, _dispatcher=served, port=0)
        self.bodies = Bodies(takes_events=False)
        self.server.channel_class = partial(Channel, self.bodies)
        # As the ini files say: the loop sends what is shorter.
        self.server.adj.send_bytes = 65536

    @property
    def channels(self):
        return [one for one in self.sockets.values() if isinstance(one, Channel)]

    def go_on_until(self, happened):
        while not happened():
            while self.tasks:
                self.tasks.popleft().service()
            self.receive_and_send()

    def receive_and_send(self):
        self.server.asyncore.loop(timeout=1, map=self.sockets, count=1)

    def connect(self):
        """Return a new client and its connection at the server."""
        client = socket.create_connection(("127.0.0.1", self.server.effective_port))
        self.clients.append(client)
        former = set(self.channels)
        self.go_on_until(lambda: set(self.channels) - former)
        (channel,) = set(self.channels) - former
        return client, channel

    def close(self):
        for client in self.clients:
            client.close()
        for channel in self.channels:
            channel.handle_close()
        self.server.close()

    def _answer(self, environ, start_response):
        self.requested.append(environ["PATH_INFO"])
        start_response("200 OK", [("Content-Length", str(len(_LARGE)))])
        return [] if environ["REQUEST_METHOD"] == "HEAD" else [_LARGE]


@pytest.fixture
def waitress():
    started = Waitress()
    yield started
    started.close()


def _request(line):
    return f"{line} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


def _unread(waitress):
    client, channel = waitress.connect()
    client.sendall(_request("GET /"))
    waitress.go_on_until(lambda: channel.has_unread_answer)
    return client, channel


def _sent_by_a_thread(waitress):
    """Return a client of two requests, and its connection: the loop has not gone on since."""
    waitress.server.adj.send_bytes = 1
    client, channel = waitress.connect()
    client.sendall(_request("HEAD /1") + _request("HEAD /2"))
    while not waitress.tasks:
        waitress.receive_and_send()
    waitress.tasks.popleft().service()
    return client, channel


def _idle(waitress):
    client, channel = waitress.connect()
    client.sendall(_request("HEAD /"))
    waitress.go_on_until(lambda: not (channel.is_new or channel.total_outbufs_len))
    return client, channel


def test_who_takes_no_answer_gives_way_first_and_who_has_just_come_never(waitress):
    first, second = (_idle(waitress)[1] for _ in range(2))
    unread = _unread(waitress)[1]
    new = waitress.connect()[1]

    gone = []
    for _ in range(4):
        before = waitress.channels
        make_room(waitress.sockets, len(waitress.sockets))
        gone.append([channel for channel in before if channel not in waitress.channels])

    assert gone == [[unread], [first], [second], []]
    assert waitress.channels == [new]


@pytest.mark.attack("BROWSER-flood")
def test_who_holds_a_body_back_gives_way_where_all_have_too_much_together(waitress, monkeypatch):
    monkeypatch.setattr(waitress_channel, "_MOST_TOGETHER", 100)

    def send(length, of):
        client, channel = waitress.connect()
        head = f"HEAD / HTTP/1.1\r\nHost: localhost\r\nContent-Length: {of}\r\n\r\n"
        client.sendall(head.encode())
        waitress.go_on_until(lambda: channel.request is not None)
        client.sendall(b"x" * length)
        waitress.go_on_until(lambda: channel.request is None or channel.request.body_bytes_received)
        return channel

    oldest, older, other = (send(40, 50) for _ in range(3))
    waitress.bodies.make_room()
    assert waitress.channels == [older, other]
    # What is complete is answered, and what is over leaves its room to others.
    complete = [send(60, 60) for _ in range(3)]
    newest = send(20, 50)
    waitress.bodies.make_room()
    assert waitress.channels == [older, other, *complete, newest]
    assert oldest.connected is False


@pytest.mark.attack("BROWSER-unread-answers")
def test_what_came_after_a_request_waits_until_its_answer_is_taken(waitress):
    client, channel = waitress.connect()

    client.sendall(_request("GET /1") + _request("HEAD /2"))
    waitress.go_on_until(lambda: channel.has_unread_answer)
    waitress.receive_and_send()
    assert waitress.requested == ["/1"]

    waitress.go_on_until(lambda: client.recv(1_000_000) and waitress.requested != ["/1"])
    assert waitress.requested == ["/1", "/2"]


def test_nothing_more_is_read_before_what_has_come(waitress):
    client, _ = _sent_by_a_thread(waitress)

    client.sendall(_request("HEAD /3"))
    waitress.go_on_until(lambda: len(waitress.requested) == 3)

    assert waitress.requested == ["/1", "/2", "/3"]


def test_an_answer_that_was_not_sent_is_not_unread(waitress):
    client, channel = waitress.connect()
    client.sendall(_request("HEAD /"))
    while not waitress.tasks:
        waitress.receive_and_send()
    waitress.tasks.popleft().service()
    assert channel.has_unread_answer

    make_room(waitress.sockets, len(waitress.sockets))

    assert client.recv(100).startswith(b"HTTP/1.1 200 OK")


def test_an_answer_that_is_ready_while_room_is_made_is_not_unread(waitress, monkeypatch):
    (client, channel), (_, other) = (waitress.connect() for _ in range(2))
    for each in waitress.clients:
        each.sendall(_request("HEAD /"))
    while len(waitress.tasks) < 2:
        waitress.receive_and_send()
    other.service()
    send = other.handle_write

    def send_while_a_thread_answers():
        channel.service()
        send()

    monkeypatch.setattr(other, "handle_write", send_while_a_thread_answers)
    make_room(waitress.sockets, len(waitress.sockets))

    assert waitress.channels == [channel]
    waitress.receive_and_send()
    assert client.recv(100).startswith(b"HTTP/1.1 200 OK")


@pytest.mark.attack("BROWSER-unread-answers")
def test_an_answer_that_is_not_taken_in_time_is_cut_even_if_it_trickles(waitress):
    client, channel = _unread(waitress)
    cut_unread(waitress.sockets)
    assert waitress.channels == [channel]

    channel.waiting_since -= 30
    client.recv(1)
    cut_unread(waitress.sockets)

    assert waitress.channels == []


@pytest.mark.attack("BROWSER-unread-answers")
def test_who_asks_again_and_takes_nothing_is_cut_though_the_network_holds_the_answer(waitress):
    channel = _sent_by_a_thread(waitress)[1]
    assert channel.total_outbufs_len == 0

    channel.waiting_since -= 30
    cut_unread(waitress.sockets)

    assert waitress.channels == []


def test_who_takes_all_of_the_answer_may_be_idle_for_longer(waitress):
    channel = _idle(waitress)[1]
    channel.waiting_since -= 30

    cut_unread(waitress.sockets)

    assert waitress.channels == [channel]


@pytest.mark.attack("BROWSER-silent-connections")
@pytest.mark.parametrize("name", COMMANDS)
def test_bodies_that_come_slowly_hold_nobody_up_and_are_answered_in_the_end(
    name, tmp_path, stopped_in_the_end, connect
):
    server = stopped_in_the_end(Server(name, tmp_path))
    held = [connect(server.port) for _ in range(MANY_BODIES)]
    for connection in held:
        connection.send(BODY_TO_COME)
    asking = connect(server.port)

    asking.send(f"{HALF}\r\n")
    assert asking.answer()[0] == 200

    for connection in held:
        connection.send("b")
        assert connection.answer()[0] == 400


@pytest.mark.attack("BROWSER-silent-connections")
def test_who_comes_is_noticed_however_many_keep_silent(server, connect):
    for _ in range(5 * LIMIT):
        connect(server.port)
    asking = connect(server.port)

    asking.send(f"{HALF}\r\n")

    assert asking.answer()[0] == 200


@pytest.mark.parametrize(("files", "connections"), [(2000, 1000), (1000, 904), (80, 16)])
def test_there_are_files_for_more_than_connections(files, connections, monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda _kind: (files, files))
    taken = []
    monkeypatch.setattr(resource, "setrlimit", lambda _kind, limits: taken.append(limits))

    assert affordable(1000, threads=8) == connections
    assert taken == [(files, files)]
