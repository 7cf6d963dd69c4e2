"""No error, repr or log record shows a credential, a query value or a body."""

import logging
import traceback

import pytest
import urllib3

from authservice.httpclient import Method, Request, Response, SendError
from tests.httpclient.raw_server import answer, replies, replies_once

SECRET = "hush"


def secret_request(address):
    return Request(
        Method.POST,
        f"{address}/path?key={SECRET}#{SECRET}",
        headers={"Authorization": f"Bearer {SECRET}"},
        query_params={"token": SECRET},
        body=SECRET.encode(),
    )


def test_the_repr_of_a_request_names_things_without_their_values():
    assert repr(secret_request("https://a.test")) == (
        "<Request POST https://a.test/path headers=['Authorization']"
        " query_params=['token'] body=4 bytes>"
    )
    assert SECRET not in repr(Request(Method.GET, f"https://user:{SECRET}@a.test/"))
    assert SECRET not in repr(Request(Method.GET, f"user:{SECRET}@a.test/"))
    assert repr(Request(Method.GET, "http://a.test")).endswith("body=0 bytes>")


def test_a_request_of_other_types_shows_these_alone():
    pairs = [("token", "secret")]

    shown = repr(Request(Method.POST, b"http://secret/", pairs, pairs, "secret"))

    assert shown == "<Request POST (invalid address) headers=list query_params=list body=str>"


def test_the_repr_of_a_response_names_things_without_their_values(serve, client):
    server = serve(replies(answer(body=SECRET.encode(), Set_Cookie=f"a={SECRET}")))

    response = client.send(Request(Method.GET, server.url))

    assert isinstance(response, Response)
    assert repr(response) == "<Response 200 ['Content-Length', 'Set-Cookie'] body=4 bytes>"
    assert repr(response.headers) == "<Headers ['Content-Length', 'Set-Cookie']>"


FAILING = [
    pytest.param(b"", id="no answer"),
    pytest.param(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhush", id="short body"),
    pytest.param(b"hush\r\n\r\n", id="not HTTP"),
    pytest.param(b"HTTP/1.1 200 OK\r\nhush\r\n\r\n", id="malformed header"),
    pytest.param(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", id="length"),
    pytest.param(answer(body=b"hush", Content_Encoding="gzip"), id="not gzip"),
    pytest.param(answer("302 Found", Location="ftp://hush/"), id="redirect"),
]


@pytest.mark.parametrize("raw", FAILING)
def test_an_error_shows_method_and_address_only(serve, make_client, raw, caplog):
    caplog.set_level(logging.DEBUG)
    server = serve(replies_once(raw))

    with pytest.raises(SendError) as caught:
        make_client().send(secret_request(server.url))

    error = caught.value
    assert (error.method, error.url) == ("POST", f"{server.url}/path")
    assert str(error) == f"POST {server.url}/path: {error.reason}"
    assert SECRET not in "".join(traceback.format_exception(error)).replace("{SECRET}", "")
    assert error.__cause__ is None
    assert error.__context__ is None
    assert SECRET not in caplog.text


@pytest.mark.parametrize(
    "address", [f"https://user:{SECRET}@a.test", f"https://{SECRET}@a.test:99999", f"x:{SECRET}"]
)
def test_an_error_about_the_address_does_not_repeat_its_secrets(client, address):
    with pytest.raises(SendError) as caught:
        client.send(secret_request(address))

    assert SECRET not in str(caught.value)
    assert caught.value.__context__ is None


@pytest.mark.parametrize("value", [f"{SECRET}\r\n", f"{SECRET}\N{SNOWMAN}"])
def test_an_error_about_a_header_does_not_repeat_its_value(client, value):
    with pytest.raises(SendError) as caught:
        client.send(Request(Method.GET, "http://a.test", {"Authorization": value}))

    assert SECRET not in str(caught.value)


def test_an_answer_leaves_no_address_in_the_logs(serve, client, caplog):
    caplog.set_level(logging.DEBUG)
    server = serve(replies(answer("302 Found", Location=f"/next?code={SECRET}"), answer()))

    client.send(secret_request(server.url))

    assert SECRET not in caplog.text


def test_other_users_of_the_library_below_keep_their_logs(serve, client, caplog):
    caplog.set_level(logging.DEBUG)
    server = serve(replies(answer(), answer()))

    client.send(Request(Method.GET, server.url))
    assert caplog.records == []
    with urllib3.PoolManager() as manager:
        manager.request("GET", server.url + "/visible")

    assert "/visible" in caplog.text
