"""Which redirects are followed, with what, and which are not."""

import pytest
from urllib3.util import parse_url

from authservice.httpclient import (
    Method,
    RedirectRefusedError,
    Request,
    TooManyRedirectsError,
)
from authservice.httpclient.url import origin
from tests.httpclient.raw_server import answer, replies

PHRASES = {
    301: "301 Moved Permanently",
    302: "302 Found",
    303: "303 See Other",
    307: "307 Temporary Redirect",
    308: "308 Permanent Redirect",
}
SECRETS = {
    "Authorization": "Bearer hidden",
    "Cookie": "session=hidden",
    "Proxy-Authorization": "Basic hidden",
    "X-Api-Key": "hidden",
}


def redirect(location, status=302, body=b""):
    return answer(PHRASES[status], body, Location=location)


def test_the_status_decides_about_the_method(subtests, serve, client):
    for status, method, expected in (
        (301, Method.POST, Method.GET),
        (302, Method.POST, Method.GET),
        (303, Method.POST, Method.GET),
        (307, Method.POST, Method.POST),
        (308, Method.POST, Method.POST),
        (301, Method.PUT, Method.PUT),
        (302, Method.DELETE, Method.DELETE),
        (303, Method.PUT, Method.GET),
        (303, Method.DELETE, Method.GET),
        (303, Method.HEAD, Method.HEAD),
        (302, Method.HEAD, Method.HEAD),
        (302, Method.GET, Method.GET),
    ):
        with subtests.test(status=status, method=method, expected=expected):
            server = serve(replies(redirect("/next", status), answer("201 Created")))

            response = client.send(Request(method, server.url))

            assert response.status_code == 201
            assert [request.method for request in server.received] == [method, expected]


@pytest.mark.parametrize("status", [307, 308])
def test_a_repeated_request_has_its_body_again(serve, client, status):
    server = serve(replies(redirect("/next", status), answer()))

    client.send(Request(Method.POST, server.url, {"X-A": "1"}, body=b"{}"))

    first, second = server.received
    assert second.body == b"{}"
    assert second.values("Content-Length") == ["2"]
    assert second.values("Content-Type") == ["application/json"]
    assert second.headers == first.headers


@pytest.mark.parametrize("status", [301, 302, 303])
def test_a_request_turned_into_get_has_no_body_and_nothing_about_it(serve, client, status):
    server = serve(replies(redirect("/next", status), answer()))

    client.send(
        Request(Method.POST, server.url, {"Content-Language": "en", "X-A": "1"}, body=b"{}")
    )

    received = server.received[1]
    assert received.body == b""
    assert not [name for name, _ in received.headers if name.lower().startswith("content-")]
    assert received.values("X-A") == ["1"]


def test_a_location_may_be_relative(subtests, serve, client):
    for location, target in (
        ("/a/b?c=d#e", "/a/b?c=d"),
        ("next", "/base/next"),
        ("../up", "/up"),
        ("?page=2", "/base/start?page=2"),
        ("/with space", "/with%20space"),
        ("/café".encode().decode("latin-1"), "/caf%C3%A9"),
        ("/\xff", "/%EF%BF%BD"),
        ("", "/base/start?secret=1"),
    ):
        with subtests.test(location=location, target=target):
            server = serve(replies(redirect(location), answer()))

            client.send(
                Request(Method.GET, server.url + "/base/start", query_params={"secret": "1"})
            )

            assert server.received[1].target == target


def test_a_location_without_a_scheme_keeps_it(serve, client):
    server = serve(replies(answer(body=b"there")))
    start = serve(replies(redirect(f"//127.0.0.1:{server.port}/")))

    assert client.send(Request(Method.GET, start.url)).body == b"there"


def test_credentials_stay_within_the_origin(serve, client):
    server = serve(replies(redirect("/next"), answer()))

    client.send(Request(Method.GET, server.url, SECRETS))

    for name, value in SECRETS.items():
        assert server.received[1].values(name) == [value]


def test_no_credential_reaches_another_port(serve, client):
    other = serve(replies(answer()))
    server = serve(replies(redirect(other.url, 307)))

    client.send(Request(Method.POST, server.url, {**SECRETS, "Accept": "text/plain"}, body=b"{}"))

    (received,) = other.received
    assert "hidden" not in str(received.headers)
    assert received.values("Accept") == ["text/plain"]
    assert received.values("Content-Type") == ["application/json"]
    assert received.body == b"{}"


def test_no_credential_reaches_another_host_on_the_same_port(serve, client, names):
    names["first.test"] = names["second.test"] = ["127.0.0.1"]
    ports = []

    def script(peer):
        while (request := peer.request()) is not None:
            first = request.values("Host")[0].startswith("first")
            peer.send(redirect(f"http://second.test:{ports[0]}/") if first else answer())

    server = serve(script)
    ports.append(server.port)

    client.send(Request(Method.GET, f"http://first.test:{server.port}/", SECRETS))

    assert "hidden" in str(server.received[0].headers)
    assert "hidden" not in str(server.received[1].headers)


def test_no_credential_reaches_another_scheme(serve, make_client, authority):
    secure = serve(replies(answer()), tls=authority.server_context("127.0.0.1"))
    server = serve(replies(redirect(secure.url)))
    client = make_client(ca_bundle=authority.bundle)

    client.send(Request(Method.GET, server.url, SECRETS))

    assert "hidden" not in str(secure.received[0].headers)


def test_a_dropped_credential_does_not_come_back(serve, client):
    ports = {}
    other = serve(
        lambda peer: peer.request() and peer.send(redirect(f"http://127.0.0.1:{ports['home']}/2"))
    )
    server = serve(replies(redirect(other.url), answer()))
    ports["home"] = server.port

    client.send(Request(Method.GET, server.url + "/1", SECRETS))

    assert [request.target for request in server.received] == ["/1", "/2"]
    assert "hidden" not in str(server.received[1].headers)


def test_the_default_port_is_the_same_origin_with_and_without_its_number():
    assert origin(parse_url("https://a.test/")) == origin(parse_url("https://a.test:443/b"))
    assert origin(parse_url("http://a.test/")) != origin(parse_url("http://a.test:443/"))


def test_a_redirect_from_https_to_http_is_refused(serve, make_client, authority):
    plain = serve(replies(answer()))
    server = serve(replies(redirect(plain.url)), tls=authority.server_context("127.0.0.1"))
    client = make_client(ca_bundle=authority.bundle)

    with pytest.raises(RedirectRefusedError, match="redirected from https to http") as caught:
        client.send(Request(Method.GET, server.url))

    assert caught.value.location == f"{plain.url}/"

    assert plain.connections == []


def test_a_redirect_to_what_is_no_http_address_is_refused(subtests, serve, client):
    for location in (
        "ftp://127.0.0.1/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "http://user:hidden@127.0.0.1/",
        "http://[::1",
        "http://127.0.0.1:99999/",
    ):
        with subtests.test(location=location):
            server = serve(replies(redirect(location)))

            with pytest.raises(RedirectRefusedError) as caught:
                client.send(Request(Method.GET, server.url))

            assert (
                str(caught.value)
                == f"GET {server.url}/: redirected to an address that is not valid"
            )


def test_two_locations_are_refused(serve, client):
    server = serve(replies(answer("302 Found", headers=("Location: /a", "Location: /b"))))

    with pytest.raises(RedirectRefusedError):
        client.send(Request(Method.GET, server.url))


def test_a_loop_ends_after_ten_redirects(serve, client):
    server = serve(replies(*[redirect("/again")] * 20))

    with pytest.raises(TooManyRedirectsError, match="redirected more than 10 times"):
        client.send(Request(Method.GET, server.url))

    assert len(server.received) == 11


def test_as_many_redirects_as_allowed_are_followed(serve, make_client):
    server = serve(replies(redirect("/1"), redirect("/2"), answer(body=b"end")))

    assert make_client(max_redirects=2).send(Request(Method.GET, server.url)).body == b"end"


def test_following_can_be_switched_off(serve, make_client):
    server = serve(replies(redirect("/next?code=hidden")))

    with pytest.raises(TooManyRedirectsError) as caught:
        make_client(max_redirects=0).send(Request(Method.GET, server.url))

    assert caught.value.location == f"{server.url}/next?code=hidden"
    assert "hidden" not in str(caught.value)


def test_the_body_of_a_redirect_is_not_read(serve, make_client):
    def script(peer):
        if peer.request().target == "/":
            peer.send(b"HTTP/1.1 302 Found\r\nLocation: /next\r\n\r\n")
            while True:
                peer.send(b"x" * 4096)
        peer.send(answer(body=b"end"))

    assert (
        make_client(max_body_bytes=10).send(Request(Method.GET, serve(script).url)).body == b"end"
    )
