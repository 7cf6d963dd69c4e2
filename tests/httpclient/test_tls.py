"""Encrypted connections: only to hosts that prove their name."""

import ssl

import pytest

from authservice.httpclient import ConnectionFailedError, Method, Request, TlsError
from tests.httpclient.raw_server import answer, replies


def test_a_certificate_of_an_unknown_authority_is_refused(serve, client, authority):
    server = serve(replies(answer()), tls=authority.server_context("127.0.0.1"))

    with pytest.raises(TlsError, match="the certificate is not accepted: unable to get local"):
        client.send(Request(Method.GET, server.url))

    assert server.received == []


def test_a_certificate_of_an_authority_in_the_bundle_is_accepted(serve, make_client, authority):
    server = serve(replies(answer(body=b"safe")), tls=authority.server_context("127.0.0.1"))
    client = make_client(ca_bundle=authority.bundle)

    assert client.send(Request(Method.GET, server.url)).body == b"safe"


def test_a_bundle_replaces_the_public_authorities(serve, make_client, authority):
    server = serve(replies(answer()), tls=authority.server_context("127.0.0.1"))
    client = make_client(ca_bundle=str(authority.bundle))
    # The first connection is where requests would add its own bundle.
    client.send(Request(Method.GET, server.url))

    (trusted,) = client._transport._context.get_ca_certs()
    assert trusted["subject"] == ((("commonName", "Test authority"),),)


def test_a_certificate_for_another_name_is_refused(serve, make_client, authority):
    server = serve(replies(answer()), tls=authority.server_context("other.test"))

    with pytest.raises(TlsError, match="IP address mismatch"):
        make_client(ca_bundle=authority.bundle).send(Request(Method.GET, server.url))


def test_the_host_name_is_asked_for_and_checked(serve, make_client, authority, names):
    names["secure.test."] = ["127.0.0.1"]
    requested = []
    context = authority.server_context("secure.test")
    context.sni_callback = lambda _socket, name, _context: requested.append(name)
    server = serve(replies(answer(body=b"safe")), tls=context)
    client = make_client(ca_bundle=authority.bundle)

    response = client.send(Request(Method.GET, f"https://secure.test.:{server.port}/"))

    assert response.body == b"safe"
    assert requested == ["secure.test"]


def test_a_host_that_does_not_speak_tls_is_an_error(serve, make_client, authority):
    def script(peer):
        peer.send(answer("400 Bad Request"))
        peer.wait_for_hang_up()

    server = serve(script)
    client = make_client(ca_bundle=authority.bundle)

    with pytest.raises(TlsError, match="the encryption failed"):
        client.send(Request(Method.GET, server.url.replace("http", "https")))


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion.TLSv1_1 is deprecated")
def test_an_old_protocol_version_is_refused(serve, make_client, authority):
    context = authority.server_context("127.0.0.1")
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version = ssl.TLSVersion.TLSv1_1
    context.maximum_version = ssl.TLSVersion.TLSv1_1
    server = serve(replies(answer()), tls=context)

    with pytest.raises(TlsError, match="PROTOCOL_VERSION"):
        make_client(ca_bundle=authority.bundle).send(Request(Method.GET, server.url))


def test_a_body_that_ends_with_the_connection_must_end_with_a_goodbye(
    serve, make_client, authority
):
    def script(peer):
        polite = peer.request().target == "/polite"
        peer.send(b"HTTP/1.0 200 OK\r\n\r\nall of it?")
        if polite:
            peer.sock = peer.sock.unwrap()

    server = serve(script, tls=authority.server_context("127.0.0.1"))
    client = make_client(ca_bundle=authority.bundle)

    assert client.send(Request(Method.GET, f"{server.url}/polite")).body == b"all of it?"
    with pytest.raises(ConnectionFailedError, match="the encrypted connection broke off"):
        client.send(Request(Method.GET, f"{server.url}/cut"))


def test_a_bundle_that_is_missing_is_noticed_when_the_client_is_made(make_client, tmp_path):
    with pytest.raises(FileNotFoundError):
        make_client(ca_bundle=tmp_path / "none.pem")
