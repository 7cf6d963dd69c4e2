"""An answer that is cut short or malformed is an error, never a shorter or a wrong one."""

import gzip
import socket

import pytest

from authservice.httpclient import (
    BodyTooLargeError,
    Client,
    ConnectionFailedError,
    Method,
    Request,
    Timeouts,
)
from tests.httpclient.raw_server import answer, replies_once

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
PACKED = gzip.compress(b"text" * 1000)


def test_an_answer_that_ends_too_early_is_an_error(subtests, serve, client):
    for case, raw in {
        "nothing": b"",
        "half a status line": b"HTTP/1.1 200",
        "half a header": b"HTTP/1.1 200 OK\r\nContent-Le",
        "between headers": b"HTTP/1.1 200 OK\r\nX-Other: 1\r\n",
        "short body": b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort",
        "no body": b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n",
        "inside a chunk": CHUNKED + b"5\r\nhel",
        "before the next chunk": CHUNKED + b"5\r\nhello\r\n",
        "inside a chunk size": CHUNKED + b"5\r\nhello\r\n5",
        "before the last empty line": CHUNKED + b"5\r\nhello\r\n0\r\n",
        "before the first chunk": CHUNKED,
    }.items():
        with subtests.test(case), pytest.raises(ConnectionFailedError):
            client.send(Request(Method.GET, serve(replies_once(raw)).url))


def test_a_malformed_answer_is_an_error(subtests, serve, client):
    for case, raw in {
        "not HTTP": b"hello\r\n\r\n",
        "other version": b"HTTP/2 200 OK\r\n\r\n",
        "two-digit status": b"HTTP/1.1 20 OK\r\n\r\n",
        "no status": b"HTTP/1.1 OK\r\n\r\n",
        "101 headers": b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 101 + b"\r\n",
        "long header": b"HTTP/1.1 200 OK\r\nX: " + b"y" * 70000 + b"\r\n\r\n",
        "no colon": b"HTTP/1.1 200 OK\r\nno colon here\r\nContent-Length: 5\r\n\r\nabc",
        "two lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde",
        "odd length": b"HTTP/1.1 200 OK\r\nContent-Length: 1O\r\n\r\nshort",
        "negative length": b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nshort",
        "other transfer coding": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n"
        b"\r\n0\r\n\r\n",
        "two transfer codings": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
        b"Transfer-Encoding: x\r\n\r\n",
        "chunk size not a number": CHUNKED + b"hello\r\n",
        "negative chunk size": CHUNKED + b"-1\r\nhello",
        "other protocol": b"HTTP/1.1 101 Switching Protocols\r\n\r\n",
        "not gzip": answer(body=b"text", Content_Encoding="gzip"),
        "half a gzip": answer(body=PACKED[:-9], Content_Encoding="gzip"),
        "gzip ends with the connection": b"HTTP/1.0 200 OK\r\nContent-Encoding: gzip\r\n\r\n"
        + PACKED[:20],
        "wrong checksum": answer(body=PACKED[:-8] + b"\0" * 8, Content_Encoding="gzip"),
        "damaged gzip": answer(body=PACKED[:10] + b"\xff" * 9, Content_Encoding="gzip"),
    }.items():
        with subtests.test(case), pytest.raises(ConnectionFailedError):
            client.send(Request(Method.GET, serve(replies_once(raw)).url))


def test_a_reset_connection_is_an_error(serve, client):
    def script(peer):
        peer.request()
        peer.send(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
        peer.reset()

    with pytest.raises(ConnectionFailedError):
        client.send(Request(Method.GET, serve(script).url))


def test_a_connection_reset_before_the_answer_says_so(serve, client):
    def script(peer):
        peer.request()
        peer.reset()

    with pytest.raises(ConnectionFailedError, match="Connection reset by peer"):
        client.send(Request(Method.GET, serve(script).url))


def test_a_refused_connection_says_so(client):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

    with pytest.raises(ConnectionFailedError, match="cannot connect: Connection refused"):
        client.send(Request(Method.GET, f"http://127.0.0.1:{port}/"))


def test_an_unknown_name_says_so(client, monkeypatch):
    def unknown(*_args, **_options):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)

    with pytest.raises(ConnectionFailedError, match="the host name cannot be resolved"):
        client.send(Request(Method.GET, "http://nowhere.test/"))


def test_a_name_without_addresses_says_so(client, names):
    names["empty.test"] = []

    with pytest.raises(ConnectionFailedError, match="the host name has no address"):
        client.send(Request(Method.GET, "http://empty.test/"))


def test_the_next_address_is_tried_when_one_fails(serve, client, names):
    server = serve(replies_once(answer(body=b"here")))
    names["twice.test"] = ["127.0.0.77", "127.0.0.1"]

    assert client.send(Request(Method.GET, f"http://twice.test:{server.port}/")).body == b"here"


def endless(head, piece):
    def script(peer):
        peer.request()
        peer.send(head)
        while True:
            peer.send(piece)

    return script


@pytest.mark.parametrize(
    ("head", "piece"),
    [
        pytest.param(b"HTTP/1.0 200 OK\r\n\r\n", b"x" * 4096, id="until the end"),
        pytest.param(
            b"HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n", b"x" * 4096, id="length"
        ),
        pytest.param(CHUNKED, b"1000\r\n" + b"x" * 4096 + b"\r\n", id="chunks"),
        pytest.param(CHUNKED + b"fffffffff\r\n", b"x" * 4096, id="one giant chunk"),
    ],
)
def test_reading_stops_as_soon_as_the_body_is_too_large(serve, make_client, head, piece):
    server = serve(endless(head, piece))
    client = make_client(max_body_bytes=100_000)

    with pytest.raises(BodyTooLargeError, match="larger than 100000 bytes"):
        client.send(Request(Method.GET, server.url))


def test_a_chunk_of_negative_size_does_not_lift_the_limit(serve, make_client):
    server = serve(endless(CHUNKED + b"-1\r\n", b"x" * 4096))
    client = make_client(timeouts=Timeouts(total=1))

    with pytest.raises(ConnectionFailedError):
        client.send(Request(Method.GET, server.url))


def test_a_body_of_exactly_the_limit_is_taken(serve, make_client):
    client = make_client(max_body_bytes=1000)

    server = serve(replies_once(answer(body=b"x" * 1000)))
    assert len(client.send(Request(Method.GET, server.url)).body) == 1000

    server = serve(replies_once(answer(body=b"x" * 1001)))
    with pytest.raises(BodyTooLargeError):
        client.send(Request(Method.GET, server.url))


def test_the_limit_counts_what_gzip_unpacks_to(serve, make_client):
    client = make_client(max_body_bytes=100_000)
    packed = gzip.compress(b"\0" * 100_001)
    assert len(packed) < 1000

    server = serve(replies_once(answer(body=packed, Content_Encoding="gzip")))
    with pytest.raises(BodyTooLargeError):
        client.send(Request(Method.GET, server.url))


def test_an_endless_gzip_bomb_is_not_read_to_its_end(serve, client):
    member = gzip.compress(b"\0" * 10_000_000)
    server = serve(endless(b"HTTP/1.0 200 OK\r\nContent-Encoding: gzip\r\n\r\n", member))

    with pytest.raises(BodyTooLargeError):
        client.send(Request(Method.GET, server.url))


def test_the_default_limit_is_ten_mebibytes():
    assert Client.max_body_bytes == 10 * 2**20
