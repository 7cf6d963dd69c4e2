import itertools

import pytest

from tools.bench.driver import ceiling
from tools.bench.driver.http11 import WrongAnswerError, get
from tools.bench.driver.load import Load


def times(number):
    """Return what answers "is it still going on" with yes so many times."""
    calls = itertools.count(1)
    return lambda: next(calls) <= number


@pytest.fixture
def load(server):
    connected = Load([server.port], connections=4)
    yield connected
    connected.close()


def asking(body=b"ok"):
    def begin():
        for _ in range(2):
            answer = yield get("localhost", "/")
            if answer.body != body:
                raise WrongAnswerError(f"not {body!r}")

    return begin


def test_saturation_completes_every_operation_that_it_begins(server, load):
    server.may_answer.set()

    outcome = load.closed_loop([asking()], times(96))

    assert outcome.operations == 100  # four connections began before the first request
    assert server.requests == 200
    assert outcome.errors == []


def test_each_process_gets_as_many_connections_as_one_alone_would(server, another_server):
    server.may_answer.set()
    another_server.may_answer.set()
    load = Load([server.port, another_server.port], connections=3)

    load.closed_loop([asking()], times(0))

    load.close()
    assert (server.requests, another_server.requests) == (6, 6)


def test_each_process_gets_the_work_that_is_for_it(server, another_server):
    server.may_answer.set()
    another_server.may_answer.set()
    another_server.answer = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nother"
    load = Load([server.port, another_server.port], connections=3)

    outcome = load.closed_loop([asking(), asking(body=b"other")], times(20))

    load.close()
    assert outcome.errors == []
    assert outcome.operations >= 20


def test_a_constant_rate_completes_every_operation_that_was_due(server, load):
    server.may_answer.set()

    outcome = load.constant_rate(asking(), 2000, times(99))

    assert outcome.operations == 100
    assert server.requests == 200
    assert outcome.errors == []


def test_who_waits_for_a_connection_waits_for_the_server(server):
    load = Load([server.port], connections=1)
    due = itertools.count(1)

    def going_on():
        number = next(due)
        if number == 50:
            # Until now the server has answered nothing, and one request has reached it.
            assert server.requests <= 1
            server.may_answer.set()
        return number < 50

    outcome = load.constant_rate(asking(), 500, going_on)
    load.close()

    assert len(outcome.latencies) == 50
    # All were due while nothing was answered: who was due first has waited longest.
    assert outcome.latencies[0] > outcome.latencies[-1]


def test_wrong_answers_are_errors_and_end_the_stretch(server, load):
    server.may_answer.set()

    outcome = load.closed_loop([asking(body=b"something else")], times(1000))

    assert outcome.operations == 0
    assert 20 <= len(outcome.errors) < 30
    assert set(outcome.errors) == {"not b'something else'"}


def test_a_closed_connection_is_an_error_and_is_opened_anew(server, load):
    server.answer = None
    server.may_answer.set()

    outcome = load.closed_loop([asking()], times(4))

    assert outcome.operations == 0
    assert set(outcome.errors) == {"the server closed the connection"}
    server.answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    assert load.closed_loop([asking()], times(4)).operations == 8


def test_the_ceiling_is_measured_on_the_canned_server():
    outcome = ceiling.measure(0.1)

    assert outcome.operations > 0
    assert outcome.errors == []
    assert outcome.driver_share > 0
