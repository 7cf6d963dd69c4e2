"""What travels: method, address, headers and body."""

import socket

import pytest

from authservice.httpclient import InvalidRequestError, Method, Request, Timeouts
from authservice.httpclient.call import Call
from authservice.httpclient.connections import dial
from tests.httpclient.raw_server import answer, replies


@pytest.fixture
def sent(serve, client):
    """Send a request to a path of a server and return what arrived there."""
    server = serve(replies(*[answer()] * 9))

    def send(path="/", method=Method.GET, **fields):
        client.send(Request(method, server.url + path, **fields))
        return server.received[-1]

    send.server = server
    return send


def test_each_method_travels_by_its_name(subtests, sent):
    for method in list(Method):
        with subtests.test(method=method):
            assert sent(method=method).method == method


def test_a_plain_get_needs_nothing_but_an_address(sent):
    received = sent("/users")

    assert received.target == "/users"
    assert received.body == b""
    assert received.values("Accept-Encoding") == ["gzip"]
    assert {name.lower() for name, _ in received.headers} == {
        "host",
        "user-agent",
        "accept-encoding",
    }


def test_an_address_without_a_path_asks_for_the_root(sent):
    assert sent("").target == "/"
    assert sent("?a=1").target == "/?a=1"


def test_query_parameters_are_percent_encoded(sent):
    parameters = {"q": "a b+c&d=e/f", "ü": "日本", "empty": "", "rest": "~-._"}

    assert sent("/", query_params=parameters).target == (
        "/?q=a%20b%2Bc%26d%3De%2Ff&%C3%BC=%E6%97%A5%E6%9C%AC&empty=&rest=~-._"
    )


def test_query_parameters_follow_those_of_the_base_address(sent):
    assert sent("/?page=1", query_params={"size": "2"}).target == "/?page=1&size=2"
    assert sent("/?", query_params={"size": "2"}).target == "/?size=2"
    assert sent("/?page=%31%2f", query_params={}).target == "/?page=1%2F"


def test_the_fragment_stays_here_and_the_query_comes_before_it(sent):
    assert sent("/p?a=1#top", query_params={"b": "2"}).target == "/p?a=1&b=2"


def test_other_characters_of_the_path_are_encoded(sent):
    assert sent("/café/a b\r\nX-Other: 1").target == "/caf%C3%A9/a%20b%0D%0AX-Other:%201"


def test_headers_travel_as_given(sent):
    received = sent(headers={"X-Trace": "a\tb", "accept-encoding": "identity", "X-Empty": ""})

    assert received.values("X-Trace") == ["a\tb"]
    assert received.values("X-Empty") == [""]
    assert received.values("Accept-Encoding") == ["identity"]


def test_the_user_agent_is_the_clients_unless_the_caller_names_one(serve, make_client):
    server = serve(replies(answer(), answer()))
    client = make_client(user_agent="probe/1")

    client.send(Request(Method.GET, server.url))
    client.send(Request(Method.GET, server.url, {"user-agent": "other/2"}))

    assert [request.values("User-Agent") for request in server.received] == [
        ["probe/1"],
        ["other/2"],
    ]


def test_a_body_is_json_unless_the_caller_says_otherwise(sent):
    received = sent(method=Method.POST, body=b'{"a":1}')

    assert received.body == b'{"a":1}'
    assert received.values("Content-Type") == ["application/json"]
    assert received.values("Content-Length") == ["7"]


@pytest.mark.parametrize("name", ["Content-Type", "content-type", "CONTENT-TYPE"])
def test_a_content_type_of_the_caller_stands_in_any_letter_case(sent, name):
    received = sent(method=Method.PUT, headers={name: "text/plain"}, body=b"\x00\xff")

    assert received.values("Content-Type") == ["text/plain"]
    assert received.body == b"\x00\xff"


@pytest.mark.parametrize("body", [None, b""])
def test_without_a_body_there_is_no_content_type(sent, body):
    received = sent(method=Method.POST, body=body)

    assert received.body == b""
    assert received.values("Content-Type") == []
    assert received.values("Content-Length") == ["0"]


def test_a_large_body_arrives_whole(sent):
    body = bytes(range(256)) * 4096

    assert sent(method=Method.POST, body=body).body == body


def test_small_messages_are_not_held_back(sent):
    no_delay = (socket.IPPROTO_TCP, socket.TCP_NODELAY)
    with (
        Call(Timeouts(), None).running(),
        dial("127.0.0.1", sent.server.port, [(*no_delay, 1)]) as connection,
    ):
        assert connection.getsockopt(*no_delay) == 1


def test_an_international_host_name_is_looked_up_in_its_ascii_form(sent, names, client):
    names["xn--bcher-kva.test"] = ["127.0.0.1"]

    client.send(Request(Method.GET, f"http://bücher.test:{sent.server.port}/"))

    assert sent.server.received[-1].values("Host") == [f"xn--bcher-kva.test:{sent.server.port}"]


def test_what_is_no_http_address_is_refused(subtests, client):
    for address in (
        "",
        "example.test/path",
        "//example.test/",
        "ftp://example.test/",
        "httpx://example.test/",
        "file:///etc/passwd",
        "mailto:a@example.test",
        "http://",
        "http:///path",
        "http://*.example.test/",
        "http://exa mple.test/",
        "http://example.test:99999/",
        "http://[::1/",
        "http://\ud800.test/",
    ):
        with subtests.test(address=address):
            with pytest.raises(InvalidRequestError) as caught:
                client.send(Request(Method.GET, address))

            assert caught.value.url == "(invalid address)"


def test_a_request_that_cannot_travel_is_refused(subtests, serve, client):
    for fields, reason in (
        ({"method": "get"}, "unknown method"),
        ({"method": "GET / HTTP/1.1\r\nX: y"}, "unknown method"),
        ({"headers": {"X-A": "1\r\nX-B: 2"}}, "the value of X-A is not plain ASCII"),
        ({"headers": {"X-A": "1\n"}}, "the value of X-A is not plain ASCII"),
        ({"headers": {"X-A": "1\rX-B: 2"}}, "the value of X-A is not plain ASCII"),
        ({"headers": {"X-A": "1\x00"}}, "the value of X-A is not plain ASCII"),
        ({"headers": {"X-A": " 1"}}, "the value of X-A is not plain ASCII"),
        ({"headers": {"X-A": "é"}}, "the value of X-A is not plain ASCII"),
        ({"headers": {"X-A\r\nX-B": "2"}}, "a header name holds"),
        ({"headers": {"X A": "2"}}, "a header name holds"),
        ({"headers": {"": "2"}}, "a header name holds"),
        ({"headers": {"X-A": "1", "x-a": "2"}}, "x-a is given twice"),
        ({"headers": {"Host": "other.test"}}, "Host is for the client to set"),
        ({"headers": {"content-length": "5"}}, "content-length is for the client to set"),
        ({"headers": {"Transfer-Encoding": "chunked"}}, "Transfer-Encoding is for the client"),
        ({"query_params": {"q": "\ud800"}}, "a query parameter is not valid text"),
    ):
        with subtests.test(fields=fields, reason=reason):
            server = serve(replies())

            with pytest.raises(InvalidRequestError) as caught:
                client.send(Request(**{"method": Method.GET, "base_url": server.url, **fields}))

            assert caught.value.reason.startswith(reason)
            assert server.connections == []


class Secret:
    """Something that shows itself where it is printed."""

    def __repr__(self):
        return "s3cret"


def test_what_is_of_another_type_is_refused_and_not_shown(subtests, serve, client):
    for fields, reason in (
        ({"method": [Secret()]}, "method is a Method, not list"),
        ({"method": b"GET"}, "method is a Method, not bytes"),
        ({"base_url": b"http://s3cret/"}, "base_url is a str, not bytes"),
        ({"base_url": None}, "base_url is a str, not NoneType"),
        ({"headers": [("A", "s3cret")]}, "headers is a mapping of str to str, not list"),
        ({"headers": None}, "headers is a mapping of str to str, not NoneType"),
        ({"headers": {b"s3cret": "1"}}, "the name of a header is a str, not bytes"),
        ({"headers": {"A": b"s3cret"}}, "the value of a header is a str, not bytes"),
        ({"headers": {"A": ["s3cret"]}}, "the value of a header is a str, not list"),
        ({"query_params": [("q", "s3cret")]}, "query_params is a mapping of str to str, not list"),
        ({"query_params": "q=s3cret"}, "query_params is a mapping of str to str, not str"),
        ({"query_params": {7: "s3cret"}}, "the name of a query parameter is a str, not int"),
        ({"query_params": {"q": 7}}, "the value of a query parameter is a str, not int"),
        ({"query_params": {"q": ["s3cret"]}}, "the value of a query parameter is a str, not list"),
        ({"body": "s3cret"}, "body is bytes or None, not str"),
        ({"body": bytearray(b"s3cret")}, "body is bytes or None, not bytearray"),
        ({"body": {"password": "s3cret"}}, "body is bytes or None, not dict"),
    ):
        with subtests.test(fields=fields, reason=reason):
            server = serve(replies())
            request = Request(**{"method": Method.POST, "base_url": server.url, **fields})

            with pytest.raises(InvalidRequestError) as caught:
                client.send(request)

            assert caught.value.reason == reason
            assert "s3cret" not in str(caught.value)
            assert server.connections == []


@pytest.mark.parametrize("request_", ["http://s3cret.test/", None, {"method": "GET"}])
def test_what_is_no_request_is_refused(client, request_):
    with pytest.raises(InvalidRequestError) as caught:
        client.send(request_)

    kind = type(request_).__name__
    reason = f"what is sent is a Request, not {kind}"
    assert str(caught.value) == f"(invalid method) (invalid address): {reason}"


def test_a_setting_of_another_type_makes_no_client(subtests, make_client):
    for setting, reason in (
        ({"timeouts": 5}, "timeouts is Timeouts, not int"),
        ({"max_redirects": "3"}, "max_redirects is an int, not str"),
        ({"max_body_bytes": None}, "max_body_bytes is an int, not NoneType"),
        ({"ca_bundle": 7}, "ca_bundle is a path or None, not int"),
        ({"proxies": ["http://s3cret.test"]}, "proxies is a mapping of str to str, not list"),
        ({"user_agent": b"probe"}, "user_agent is a str, not bytes"),
        ({"address_policy": "10.0.0.0/8"}, "address_policy is a function or None, not str"),
    ):
        with subtests.test(setting=setting, reason=reason):
            with pytest.raises(TypeError) as caught:
                make_client(**setting)

            assert str(caught.value) == reason


@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        ({"max_redirects": -1}, "a limit is 0 or more"),
        ({"max_body_bytes": -1}, "a limit is 0 or more"),
        ({"user_agent": "probe\r\nX-Other: 1"}, "user_agent is plain ASCII"),
        ({"user_agent": " probe"}, "user_agent is plain ASCII"),
    ],
)
def test_a_setting_that_cannot_work_makes_no_client(make_client, setting, reason):
    with pytest.raises(ValueError, match=reason):
        make_client(**setting)


def test_a_name_that_cannot_be_looked_up_is_refused(client):
    with pytest.raises(InvalidRequestError, match="the host name is not valid"):
        client.send(Request(Method.GET, f"http://{'a' * 64}.test/"))


def test_credentials_in_the_address_are_refused(client):
    with pytest.raises(InvalidRequestError, match="belong into a header"):
        client.send(Request(Method.GET, "https://user:hidden@example.test/"))
