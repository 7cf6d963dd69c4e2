"""Connections on which the caller writes: they have the limits and the trust of the client."""

import pytest

from authservice.httpclient import (
    AddressRefusedError,
    ConnectionFailedError,
    InvalidRequestError,
    SendTimeoutError,
    Timeouts,
    TlsError,
    public_addresses_only,
)
from tests.helpers.ports import free_port
from tests.httpclient.raw_server import answer, replies

REQUEST = b"GET //a/../%2e HTTP/1.1\r\n\r\n"


@pytest.mark.parametrize("encrypted", [False, True], ids=["http", "https"])
def test_what_is_written_arrives_to_the_octet(serve, make_client, authority, names, encrypted):
    names["secure.test."] = ["127.0.0.1"]
    tls = authority.server_context("secure.test") if encrypted else None
    server = serve(replies(answer()), tls=tls)
    client = make_client(ca_bundle=authority.bundle)

    with client.connected(server.url.replace("127.0.0.1", "secure.test.")) as connection:
        connection.sendall(REQUEST)
        with connection.makefile("rb") as answered:
            assert answered.readline() == b"HTTP/1.1 200 OK\r\n"

    assert server.received[0].target == "//a/../%2e"


def test_a_host_that_drips_is_stopped_by_the_total_limit(serve, make_client):
    server = serve(lambda peer: peer.drip(b"x"))
    client = make_client(timeouts=Timeouts(connect=60, read=60, total=0.3))

    with (
        pytest.raises(SendTimeoutError, match=f"^{server.url}/?: no complete answer within 0.3 s"),
        client.connected(server.url) as connection,
    ):
        connection.makefile("rb").read()


def test_a_host_that_is_silent_is_given_up(serve, hasty):
    server = serve(lambda peer: peer.wait_for_hang_up())

    with pytest.raises(SendTimeoutError), hasty.connected(server.url) as connection:
        connection.recv(1)


def test_what_is_refused(subtests, serve, make_client, authority):
    server = serve(replies(answer()))
    other = serve(replies(answer()), tls=authority.server_context("other.test"))
    for address, settings, expected in (
        (f"http://127.0.0.1:{free_port()}", {}, ConnectionFailedError),
        (other.url, {"ca_bundle": authority.bundle}, TlsError),
        (server.url, {"address_policy": public_addresses_only}, AddressRefusedError),
        (server.url, {"proxies": {"http": "http://127.0.0.1:1"}}, InvalidRequestError),
        ("ftp://127.0.0.1/", {}, InvalidRequestError),
    ):
        with (
            subtests.test(address=address, settings=settings),
            pytest.raises(expected),
            make_client(**settings).connected(address),
        ):
            pass
    assert server.received == other.received == []
