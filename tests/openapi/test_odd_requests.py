"""Requests that no caller means to send: every operation answers them as it is described."""

import pytest
from webtest import TestRequest

from tests.helpers.browser import ORIGIN, Browser
from tests.helpers.junk import FORM
from tests.openapi.described import BY_ID, METHODS, PATHS, unlike_its_description

JSON = "application/json"
UNREADABLE = {
    "a query that is not UTF-8": (400, {"QUERY_STRING": "a=%ff"}),
    "bytes in the query": (400, {"QUERY_STRING": "a=\xff"}),
    "a NUL in the query": (400, {"QUERY_STRING": "a=%00"}),
    "a query that is too long": (414, {"QUERY_STRING": "a=" + "x" * 25_000}),
    "a body that is too long": (413, {"CONTENT_LENGTH": "70000"}),
    "a length that is no number": (413, {"CONTENT_LENGTH": "5 5"}),
}
ODD = {
    **{
        f"Authorization: {value!r}": {"HTTP_AUTHORIZATION": value}
        for value in ("", "Bearer", "Bearer ", "Bearer a b", "Bearer \xff", "Basic", "Basic !", "x")
    },
    **{
        f"{kind}: {body!r:.40}": {"CONTENT_TYPE": kind, "body": body}
        for kind, body in (
            (FORM, b"a=%ff"),
            (FORM, b"a=%00"),
            (FORM, b"\xff"),
            (FORM, b"a=b&" * 101),
            (FORM, b""),
            (JSON, b"{"),
            (JSON, b"[]"),
            (JSON, b"[" * 30_000),
            (JSON, b'{"token":1,"provider":1,"id":1}'),
            (JSON, b"\xff"),
            ("multipart/form-data", b"--"),
            ("", b"x"),
        )
    },
    "no Origin": {"HTTP_ORIGIN": "null"},
    "a tag": {"HTTP_IF_NONE_MATCH": '"'},
    "a cookie": {"HTTP_COOKIE": "authservice.session_token=\xff"},
}


@pytest.fixture(scope="module")
def answer(shared_app):
    """Send an operation's request with what is odd about it."""
    browser = Browser(shared_app)
    browser.lint = False

    def send(operation, odd):
        request = TestRequest.blank("/", browser.extra_environ | {"HTTP_ORIGIN": ORIGIN})
        odd = dict(odd)
        request.body = odd.pop("body", b"")
        request.environ |= {
            "REQUEST_METHOD": METHODS[operation].upper(),
            "PATH_INFO": PATHS[operation].replace("{provider_id}", "github"),
        } | odd
        return browser.do_request(request, expect_errors=True)

    return send


def test_what_cannot_be_read_is_refused_as_described_by_every_operation(subtests, answer):
    for named, (status, odd) in UNREADABLE.items():
        with subtests.test(named):
            for operation in BY_ID:
                refused = answer(operation, odd)
                assert refused.status_int == status
                assert refused.content_type == JSON
                assert unlike_its_description(operation, refused) is None, operation


def test_every_reason_for_which_nothing_is_read_is_tried():
    everywhere = set.intersection(*(set(each["responses"]) for each in BY_ID.values()))

    assert {str(status) for status, _ in UNREADABLE.values()} == everywhere


def test_odd_credentials_and_bodies_are_answered_as_described_by_every_operation(subtests, answer):
    for named, odd in ODD.items():
        with subtests.test(named):
            found = {name: unlike_its_description(name, answer(name, odd)) for name in BY_ID}

            assert {name: fault for name, fault in found.items() if fault} == {}
