"""Every wait has an end, whatever the host does. No test measures time: a missing limit hangs."""

import socket
import threading
from contextlib import ExitStack

import pytest

from authservice.httpclient import Client, Method, Request, SendTimeoutError, Timeouts
from authservice.httpclient.call import Call
from authservice.httpclient.connections import DeadlineSocket
from tests.httpclient.raw_server import answer

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
SILENCE = "timed out waiting for the host"
TOTAL = "no complete answer within 0.3 s"


@pytest.fixture
def patient(make_client, authority):
    """Give up by the total limit only, even where the silence is never long."""
    return make_client(
        timeouts=Timeouts(connect=60, read=60, total=0.3), ca_bundle=authority.bundle
    )


def test_the_limits_have_safe_defaults():
    assert Client().timeouts == Timeouts(connect=5, read=10, total=30)


@pytest.mark.parametrize("name", ["connect", "read", "total"])
def test_a_limit_of_nothing_is_refused(name):
    with pytest.raises(ValueError, match="greater than 0"):
        Timeouts(**{name: 0})


@pytest.mark.parametrize(
    "start",
    [
        pytest.param(b"", id="no answer"),
        pytest.param(b"HTTP/1.1 200 OK\r\nX-Slow: ", id="inside a header"),
        pytest.param(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", id="inside the body"),
        pytest.param(CHUNKED + b"5\r\nhe", id="inside a chunk"),
    ],
)
def test_a_host_that_falls_silent_is_given_up(serve, hasty, start):
    def script(peer):
        peer.request()
        peer.send(start)
        peer.wait_for_hang_up()

    with pytest.raises(SendTimeoutError, match=SILENCE):
        hasty.send(Request(Method.GET, serve(script).url))


@pytest.mark.parametrize(
    ("start", "drop"),
    [
        pytest.param(b"", b"H", id="status line"),
        pytest.param(b"HTTP/1.1 200 OK\r\nX-Slow: ", b"x", id="header"),
        pytest.param(b"", b"HTTP/1.1 102 Processing\r\n\r\n", id="interim answers"),
        pytest.param(b"HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\n", b"x", id="body"),
        pytest.param(b"HTTP/1.0 200 OK\r\n\r\n", b"x", id="endless body"),
        pytest.param(CHUNKED, b"1\r\nx\r\n", id="chunks"),
        pytest.param(CHUNKED + b"fffff\r\n", b"x", id="one chunk"),
        pytest.param(CHUNKED + b"0\r\n", b"X: y\r\n", id="trailer"),
    ],
)
@pytest.mark.parametrize("encrypted", [False, True], ids=["http", "https"])
def test_a_host_that_drips_is_stopped_by_the_total_limit(
    serve, patient, authority, start, drop, encrypted
):
    def script(peer):
        peer.request()
        peer.send(start)
        peer.drip(drop)

    server = serve(script, tls=authority.server_context("127.0.0.1") if encrypted else None)

    with pytest.raises(SendTimeoutError, match=TOTAL):
        patient.send(Request(Method.GET, server.url))


def test_redirects_share_the_total_limit(serve, make_client):
    def script(peer):
        while peer.request() is not None and not peer.server.stopping.wait(0.01):
            peer.send(answer("302 Found", Location="/again"))

    server = serve(script)
    client = make_client(timeouts=Timeouts(total=0.3), max_redirects=10**9)

    with pytest.raises(SendTimeoutError, match=TOTAL):
        client.send(Request(Method.GET, server.url))


@pytest.mark.parametrize("encrypted", [False, True], ids=["http", "https"])
def test_a_host_that_does_not_read_is_given_up(serve, make_client, authority, encrypted):
    server = serve(
        lambda peer: peer.server.stopping.wait(),
        tls=authority.server_context("127.0.0.1") if encrypted else None,
    )
    client = make_client(timeouts=Timeouts(read=0.2), ca_bundle=authority.bundle)

    with pytest.raises(SendTimeoutError, match=SILENCE):
        client.send(Request(Method.POST, server.url, body=bytes(2**25)))


def test_a_host_may_take_as_long_to_read_as_to_answer(serve, make_client):
    def script(peer):
        peer.server.stopping.wait(0.5)
        peer.request()
        peer.send(answer(body=b"done"))

    client = make_client(timeouts=Timeouts(connect=0.1, read=60, total=60))

    response = client.send(Request(Method.POST, serve(script).url, body=bytes(2**25)))

    assert response.body == b"done"


def test_a_handshake_nobody_answers_is_given_up(serve, hasty):
    server = serve(lambda peer: peer.wait_for_hang_up())

    with pytest.raises(SendTimeoutError, match=SILENCE):
        hasty.send(Request(Method.GET, server.url.replace("http", "https")))


def test_a_connection_nobody_accepts_is_given_up(hasty):
    with ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        # Once the queue is full, the system drops further attempts without an answer.
        for _ in range(3):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listener.getsockname())

        with pytest.raises(SendTimeoutError, match="no connection came about in time"):
            hasty.send(Request(Method.GET, f"http://127.0.0.1:{listener.getsockname()[1]}/"))


def test_a_name_server_that_hangs_is_given_up(patient, monkeypatch):
    release = threading.Event()

    def getaddrinfo(*_args, **_options):
        release.wait()
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)

    try:
        with pytest.raises(SendTimeoutError, match=TOTAL):
            patient.send(Request(Method.GET, "http://slow.test/"))
    finally:
        release.set()


def test_a_call_past_its_deadline_does_not_begin_to_wait():
    call = Call(Timeouts(total=1e-9), None)

    with pytest.raises(SendTimeoutError):
        call.connect_wait()
    with pytest.raises(SendTimeoutError):
        call.read_wait()


def test_a_socket_of_the_client_does_not_work_without_a_call():
    with DeadlineSocket() as sock, pytest.raises(LookupError):
        sock.recv(1)
