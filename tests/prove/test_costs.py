"""The sweep for requests that cost too much: what it sends, and what it sees."""

import time

from tests.openapi.described import BY_ID
from tools.prove.costs.headers import CALLED, with_long_headers
from tools.prove.costs.sent import Sent, least_cost
from tools.prove.costs.values import with_long_values

MOST = 0.02
ASKED = Sent("GET", "/")


def application(*burnt):
    """Return an application that takes so many seconds of CPU, one time after the other."""
    left = list(burnt)

    def answer(_environ, start):
        end = time.thread_time() + left.pop(0)
        while time.thread_time() < end:
            pass
        start("200 OK", [])
        return []

    return answer


def test_what_costs_too_much_each_time_is_seen():
    assert least_cost(application(*[2 * MOST] * 6), ASKED, MOST).seconds > MOST


def test_what_costs_too_much_once_is_tried_again():
    found = least_cost(application(2 * MOST, *[0] * 5), ASKED, MOST)

    assert found.status == 200
    assert found.seconds <= MOST


def test_a_long_header_is_in_every_request_as_long_as_it_may_be():
    method, path = CALLED[0]
    for long in with_long_headers(path, method, "a=b"):
        headers = long.make(long.longest).headers
        assert long.longest * 0.9 < len(headers[long.name.partition(":")[0]]) < 32_768


def test_each_field_of_an_operation_is_long_in_some_request():
    described = BY_ID["post_oauth2_token"]
    (content,) = described["requestBody"]["content"].values()

    names = {
        each.name.partition("=")[0].partition(",")[0].removeprefix("after ")
        for each in with_long_values("/token", "POST", described, {}, {})
        if len(each.make(each.longest).body) > 60_000
    }

    assert names == {*content["schema"]["properties"], "unheard_of"}
