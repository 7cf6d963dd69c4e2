"""The client as an object: defaults, threads, closing."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from authservice import httpclient
from authservice.httpclient import Client, Method, Request, SendError, SendTimeoutError
from authservice.httpclient.client import _default_client
from tests.httpclient.raw_server import answer, replies


def test_a_request_can_be_sent_without_making_a_client(serve):
    server = serve(replies(answer(body=b"hello")))
    try:
        assert httpclient.send(Request(Method.GET, server.url)).body == b"hello"
    finally:
        _default_client().close()


def test_one_client_serves_several_threads(serve, make_client):
    together = Barrier(8, timeout=30)

    def script(peer):
        while (request := peer.request()) is not None:
            together.wait()
            peer.send(answer(body=request.target.encode()))

    server = serve(script)
    client = make_client()

    def path_of(number):
        return client.send(Request(Method.GET, f"{server.url}/{number}")).body

    with ThreadPoolExecutor(8) as threads:
        for _ in range(3):
            assert list(threads.map(path_of, range(8))) == [b"/%d" % n for n in range(8)]


def test_closing_hangs_up(serve):
    hung_up = []

    def script(peer):
        replies(answer())(peer)
        hung_up.append(True)

    server = serve(script)
    with Client() as client:
        client.send(Request(Method.GET, server.url))
        assert hung_up == []
    server.wait_for_scripts()

    assert hung_up == [True]


def test_closing_hangs_up_on_a_proxy_too(serve):
    proxy = serve(replies(answer()))
    with Client(proxies={"http": proxy.url}) as client:
        client.send(Request(Method.GET, "http://far.test/"))

    proxy.wait_for_scripts()


def test_a_closed_client_can_be_used_again(serve, client):
    server = serve(replies(answer(body=b"1"), answer(body=b"2")))

    assert client.send(Request(Method.GET, server.url)).body == b"1"
    client.close()
    assert client.send(Request(Method.GET, server.url)).body == b"2"
    assert len(server.connections) == 2


def test_the_settings_of_a_client_do_not_change():
    with pytest.raises(AttributeError):
        Client().max_redirects = 1


@pytest.mark.parametrize("duplicate", [copy.copy, lambda error: pickle.loads(pickle.dumps(error))])
def test_an_error_survives_being_copied(duplicate):
    error = duplicate(SendTimeoutError("too slow", "GET", "http://a.test/"))

    assert isinstance(error, SendError)
    assert str(error) == "GET http://a.test/: too slow"
