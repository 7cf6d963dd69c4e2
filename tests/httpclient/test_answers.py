"""What comes back from a host that keeps to the rules."""

import gzip

import pytest

from authservice.httpclient import Headers, Method, Request
from tests.httpclient.raw_server import answer, replies, replies_once


@pytest.fixture
def receive(serve, client):
    """Return what the client makes of these bytes, sent before the server hangs up."""
    return lambda raw, method=Method.GET: client.send(Request(method, serve(replies_once(raw)).url))


def test_every_status_code_is_an_answer(subtests, receive):
    for status in (200, 204, 304, 400, 401, 404, 418, 500, 503, 999):
        with subtests.test(status=status):
            assert receive(f"HTTP/1.1 {status} Phrase\r\n\r\n".encode()).status_code == status


def test_a_redirect_status_without_a_location_is_an_answer(receive):
    assert receive(answer("302 Found", b"where?")).body == b"where?"


def test_repeated_headers_stay_apart_in_their_order(receive):
    response = receive(
        answer(headers=("Set-Cookie: a=1, x", "X-Other: y", "set-cookie: b=2; Path=/"))
    )

    assert response.headers["SET-COOKIE"] == ["a=1, x", "b=2; Path=/"]
    assert response.headers["x-other"] == ["y"]
    assert list(response.headers) == ["Set-Cookie", "X-Other", "Content-Length"]


def test_headers_are_a_mapping_without_regard_to_case():
    headers = Headers([("ETag", '"1" '), ("etag", "\t2")])

    assert headers["eTaG"] == ['"1"', "2"]
    assert "ETAG" in headers
    assert "Missing" not in headers
    assert headers.get("Missing") is None
    assert len(headers) == 1


def test_headers_cannot_be_changed_through_what_they_return():
    headers = Headers([("ETag", "1")])
    headers["ETag"].append("2")

    assert headers["ETag"] == ["1"]


@pytest.mark.parametrize("body", [b"", b"\x00\xff\r\n\r\n\x80", bytes(range(256)) * 1000])
def test_a_body_arrives_byte_for_byte(receive, body):
    assert receive(answer(body=body)).body == body


def test_a_body_may_end_with_the_connection(receive):
    assert receive(b"HTTP/1.0 200 OK\r\n\r\nto the end").body == b"to the end"


def test_chunks_are_put_together(receive):
    response = receive(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n"
        b"5;extension=1\r\nhello\r\n6\r\n world\r\n0\r\nX-Trailer: 1\r\n\r\n"
    )

    assert response.body == b"hello world"


@pytest.mark.parametrize("coding", ["gzip", "GZIP", "x-gzip"])
def test_gzip_is_decompressed(receive, coding):
    response = receive(answer(body=gzip.compress(b"text" * 1000), Content_Encoding=coding))

    assert response.body == b"text" * 1000
    assert response.headers["Content-Encoding"] == [coding]


def test_gzip_in_chunks_and_several_members_is_decompressed(receive):
    packed = gzip.compress(b"first ") + gzip.compress(b"second")
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in packed)

    response = receive(
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
        + chunks
        + b"0\r\n\r\n"
    )

    assert response.body == b"first second"


def test_an_empty_body_may_claim_to_be_gzip(receive):
    assert receive(answer(Content_Encoding="gzip")).body == b""


def test_a_coding_nobody_asked_for_is_left_alone(receive):
    assert receive(answer(body=b"\x01\x02", Content_Encoding="br")).body == b"\x01\x02"


def test_an_answer_to_head_has_no_body_whatever_its_length_says(serve, client):
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\nContent-Encoding: gzip\r\n\r\n"
    server = serve(replies(head, answer(body=b"next")))

    first = client.send(Request(Method.HEAD, server.url))
    second = client.send(Request(Method.GET, server.url))

    assert (first.status_code, first.body) == (200, b"")
    assert second.body == b"next"
    assert len(server.connections) == 1


@pytest.mark.parametrize("interim", ["100 Continue", "102 Processing", "103 Early Hints"])
def test_interim_answers_are_skipped(serve, client, interim):
    before = f"HTTP/1.1 {interim}\r\nLink: </style.css>\r\n\r\n".encode() * 2
    server = serve(replies(before + answer(body=b"one"), answer(body=b"two")))

    assert client.send(Request(Method.GET, server.url)).body == b"one"
    assert client.send(Request(Method.GET, server.url)).body == b"two"


def test_a_connection_serves_several_requests(serve, client):
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"
    packed = answer(body=gzip.compress(b"a"), Content_Encoding="gzip")
    server = serve(replies(answer(body=b"a"), chunked, packed, answer("204 No Content"), answer()))

    for _ in range(5):
        client.send(Request(Method.GET, server.url))

    assert len(server.connections) == 1


def test_a_connection_that_the_host_closed_meanwhile_is_replaced(serve, client):
    server = serve(replies_once(answer(body=b"bye")))

    assert client.send(Request(Method.GET, server.url)).body == b"bye"
    server.wait_for_scripts()
    assert client.send(Request(Method.GET, server.url)).body == b"bye"
    assert len(server.connections) == 2


def test_a_multipart_answer_is_not_taken_for_a_malformed_one(receive):
    response = receive(answer(body=b"--b--", Content_Type='multipart/mixed; boundary="b"'))

    assert response.body == b"--b--"


def test_a_folded_header_line_is_one_value(receive):
    assert receive(answer(headers=("X-Long: a\r\n  b",))).headers["X-Long"] == ["a b"]
