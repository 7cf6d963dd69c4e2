"""Proxies come from the caller only."""

import select
import socket

import pytest

from authservice.httpclient import (
    Client,
    ConnectionFailedError,
    Method,
    Request,
    SendTimeoutError,
    Timeouts,
    TlsError,
    allow_networks,
)
from tests.httpclient.raw_server import answer, replies, replies_once


def tunnel(peer):
    """Connect the client through to where it wants, as a proxy does for https."""
    host, _, port = peer.request().target.partition(":")
    with socket.create_connection((host, int(port))) as upstream:
        peer.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
        other = {peer.sock: upstream, upstream: peer.sock}
        while True:
            for ready in select.select(list(other), [], [])[0]:
                data = ready.recv(65536)
                if not data:
                    return
                other[ready].sendall(data)


def test_an_http_request_is_passed_on_by_the_proxy(serve, make_client):
    proxy = serve(replies(answer(body=b"by proxy")))
    address = proxy.url.replace("//", "//user:hidden@")
    client = make_client(proxies={"http": address})

    response = client.send(Request(Method.GET, "http://far.test/path?a=1#top"))

    assert response.body == b"by proxy"
    (received,) = proxy.received
    assert received.target == "http://far.test/path?a=1"
    assert received.values("Proxy-Authorization") == ["Basic dXNlcjpoaWRkZW4="]
    assert "hidden" not in repr(client)


@pytest.mark.parametrize("encrypted", [False, True], ids=["http proxy", "https proxy"])
def test_an_https_request_goes_through_a_tunnel(serve, make_client, authority, encrypted):
    context = authority.server_context("127.0.0.1")
    server = serve(replies(answer(body=b"a"), answer(body=b"b")), tls=context)
    proxy = serve(tunnel, tls=context if encrypted else None)
    client = make_client(proxies={"https": proxy.url}, ca_bundle=authority.bundle)

    request = Request(Method.GET, server.url, {"Authorization": "Bearer hidden"})

    assert client.send(request).body == b"a"
    assert client.send(request).body == b"b"
    assert [received.method for received in proxy.received] == ["CONNECT"]
    assert proxy.received[0].values("Authorization") == []
    assert server.received[0].values("Authorization") == ["Bearer hidden"]


def test_the_far_end_of_a_tunnel_must_prove_its_name(serve, make_client, authority):
    server = serve(replies(answer()), tls=authority.server_context("other.test"))
    client = make_client(proxies={"https": serve(tunnel).url}, ca_bundle=authority.bundle)

    with pytest.raises(TlsError):
        client.send(Request(Method.GET, server.url))


def test_an_encrypted_proxy_must_prove_its_name(serve, client, make_client, authority):
    proxy = serve(tunnel, tls=authority.server_context("127.0.0.1"))
    client = make_client(proxies={"https": proxy.url})

    with pytest.raises(TlsError):
        client.send(Request(Method.GET, "https://far.test/"))


def test_a_tunnel_that_the_proxy_refuses_is_an_error(serve, make_client):
    proxy = serve(replies_once(answer("407 Proxy Authentication Required")))
    client = make_client(proxies={"https": proxy.url})

    with pytest.raises(ConnectionFailedError, match="the proxy did not pass the request on"):
        client.send(Request(Method.GET, "https://far.test/"))


def test_a_proxy_that_drips_is_stopped_by_the_total_limit(serve, make_client):
    def script(peer):
        peer.request()
        peer.drip(b"H")

    client = make_client(
        proxies={"https": serve(script).url}, timeouts=Timeouts(read=60, total=0.3)
    )

    with pytest.raises(SendTimeoutError, match=r"no complete answer within 0\.3 s"):
        client.send(Request(Method.GET, "https://far.test/"))


def test_a_proxy_that_drips_inside_the_tunnel_is_stopped_too(serve, make_client, authority):
    def script(peer):
        peer.request()
        peer.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
        peer.sock.recv(1)
        # The start of a long record, whose rest follows byte by byte.
        peer.send(b"\x16\x03\x03\x40\x00")
        peer.drip(b"\0")

    proxy = serve(script, tls=authority.server_context("127.0.0.1"))
    client = make_client(
        proxies={"https": proxy.url},
        ca_bundle=authority.bundle,
        timeouts=Timeouts(read=60, total=0.3),
    )

    with pytest.raises(SendTimeoutError, match=r"no complete answer within 0\.3 s"):
        client.send(Request(Method.GET, "https://far.test/"))


def test_a_handshake_through_a_tunnel_may_take_as_long_as_connecting(serve, make_client):
    def script(peer):
        peer.request()
        peer.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
        peer.wait_for_hang_up()

    client = make_client(
        proxies={"https": serve(script).url}, timeouts=Timeouts(connect=0.2, read=60, total=60)
    )

    with pytest.raises(SendTimeoutError, match="timed out waiting for the host"):
        client.send(Request(Method.GET, "https://far.test/"))


def test_an_address_policy_together_with_a_proxy_is_refused():
    with pytest.raises(ValueError, match="cannot hold behind a proxy"):
        Client(proxies={"http": "http://p.test"}, address_policy=allow_networks("10.0.0.0/8"))


@pytest.mark.parametrize("address", ["socks5://127.0.0.1:1080", "127.0.0.1:8080", "", "http://"])
def test_a_proxy_of_another_kind_is_refused(address):
    with pytest.raises(ValueError, match="a proxy must be an http or https address"):
        Client(proxies={"https": address})
