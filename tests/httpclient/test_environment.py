"""Nothing comes from the user's files or variables, and nothing is kept between calls."""

import pytest

from authservice.httpclient import Client, Method, Request, TlsError
from tests.httpclient.raw_server import answer, replies


@pytest.fixture
def hostile_environment(monkeypatch, tmp_path, authority):
    """Set up everything that requests, urllib3 and OpenSSL would obey."""
    (tmp_path / ".netrc").write_text("default login user password hidden\n")
    (tmp_path / ".netrc").chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
        monkeypatch.setenv(name.lower(), "http://127.0.0.1:1")
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"):
        monkeypatch.setenv(name, str(authority.bundle))
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "keys"))
    return tmp_path


@pytest.mark.usefixtures("hostile_environment")
def test_netrc_adds_and_replaces_no_credentials(serve):
    server = serve(replies(answer(), answer("302 Found", Location="/next"), answer()))
    with Client() as client:
        client.send(Request(Method.GET, server.url))
        client.send(Request(Method.GET, server.url, {"Authorization": "Bearer mine"}))

    assert [request.values("Authorization") for request in server.received] == [
        [],
        ["Bearer mine"],
        ["Bearer mine"],
    ]


@pytest.mark.usefixtures("hostile_environment")
def test_proxy_variables_are_ignored(serve):
    server = serve(replies(answer(body=b"direct")))
    with Client() as client:
        assert client.send(Request(Method.GET, server.url)).body == b"direct"


@pytest.mark.usefixtures("hostile_environment")
def test_bundle_variables_are_ignored(serve, authority):
    server = serve(replies(answer()), tls=authority.server_context("127.0.0.1"))
    with Client() as client, pytest.raises(TlsError):
        client.send(Request(Method.GET, server.url))


def test_session_keys_are_not_written_to_a_file(serve, authority, hostile_environment):
    server = serve(replies(answer()), tls=authority.server_context("127.0.0.1"))
    with Client(ca_bundle=authority.bundle) as client:
        client.send(Request(Method.GET, server.url))

    assert not (hostile_environment / "keys").exists()


def test_cookies_are_not_kept(serve, client):
    set_cookie = ("Set-Cookie: a=1; Path=/",)
    server = serve(
        replies(
            answer(headers=set_cookie),
            answer("302 Found", headers=set_cookie, Location="/next"),
            answer(),
        )
    )

    client.send(Request(Method.GET, server.url))
    client.send(Request(Method.GET, server.url))

    assert [request.values("Cookie") for request in server.received] == [[], [], []]
