"""Preflights may pass to an application that answers them, as nobody's, and nothing beside them."""

import pytest

from tests.functional.forward.asking import APP

PASS = "?preflights=pass"
PREFLIGHT = {
    "Origin": "https://www.example.com",
    "Access-Control-Request-Method": "PUT",
    "Access-Control-Request-Headers": "content-type",
    "Sec-Fetch-Mode": "cors",
}


@pytest.fixture
def ask(stranger):
    """Ask at both addresses about an OPTIONS of somebody who is not signed in."""

    def asked(headers, *, query=PASS, method="OPTIONS"):
        told = {"X-Original-Method": method} | headers
        return (
            stranger.original(APP, query=query, headers=told),
            stranger.forwarded(query=query, method=method, headers=headers),
        )

    return asked


def test_a_preflight_passes_as_nobody_where_the_proxy_asks_for_it(subtests, ask):
    for query, status in (
        (PASS, 200),
        ("?group=acme&preflights=pass", 200),
        ("?preflights=pass&extend=1", 200),
        ("", 401),
        ("?group=acme", 401),
    ):
        with subtests.test(query=query):
            for answer in ask(PREFLIGHT, query=query):
                assert answer.status_int == status
                assert not any(name.startswith("Remote-") for name in answer.headers)
                assert answer.headers["Cache-Control"] == "no-store"
    for answer in ask({"Origin": "null", "Access-Control-Request-Method": "GET"}):
        assert answer.status_int == 200


@pytest.mark.attack("BROWSER-forged-forward")
def test_nothing_that_a_preflight_does_not_have_passes(subtests, ask):
    for name, value in (
        ("Origin", None),
        ("Origin", ""),
        ("Access-Control-Request-Method", None),
        ("Access-Control-Request-Method", ""),
        ("Cookie", "a=1"),
        ("Authorization", "Basic cm9vdDpyb290"),
        ("Upgrade", "websocket"),
        ("Content-Length", "1"),
        ("X-Original-Content-Length", "1"),
        ("X-Original-Content-Length", "chunked"),
        ("X-Forwarded-Content-Length", "10"),
        ("Transfer-Encoding", "chunked"),
        ("X-HTTP-Method-Override", "DELETE"),
        ("X-HTTP-Method", "DELETE"),
        ("X-Method-Override", "DELETE"),
        ("X-Method", ""),
    ):
        with subtests.test(name=name, value=value):
            headers = {**PREFLIGHT, name: value}
            headers = {name: value for name, value in headers.items() if value is not None}
            for answer in ask(headers):
                assert answer.status_int == 401
    for method in ("GET", "HEAD", "POST", "DELETE", "OPTIONS-X"):
        with subtests.test(method=method):
            assert {answer.status_int for answer in ask(PREFLIGHT, method=method)} == {401}
    for name in ("X-Original-Content-Length", "X-Forwarded-Content-Length"):
        with subtests.test(name=name):
            assert {answer.status_int for answer in ask({**PREFLIGHT, name: "0"})} == {200}


@pytest.mark.attack("BROWSER-forged-forward")
def test_a_visitor_does_not_say_the_method_in_the_place_of_the_proxy(subtests, ada, stranger):
    # A file from before, with the new condition: it would pass on what a visitor says.
    for headers in ({}, {"X-Original-Method": ""}, {"X-Original-Method": "OPTIONS, GET"}):
        with subtests.test(headers=headers):
            for person in (ada, stranger):
                answer = person.original(APP, query=PASS, headers=PREFLIGHT | headers)
                assert (answer.status_int, answer.json["code"]) == (
                    403,
                    "INVALID_FORWARDED_REQUEST",
                )
                assert answer.json["message"].startswith("X-Original-Method must ")
            assert ada.original(APP, headers=headers).status_int == 200
    said = PREFLIGHT | {"X-Original-Method": "OPTIONS"}
    assert stranger.forwarded(query=PASS, headers=said).status_int == 401
    said = PREFLIGHT | {"X-Forwarded-Method": "OPTIONS", "X-Original-Method": "GET"}
    assert stranger.original(APP, query=PASS, headers=said).status_int == 401


def test_who_is_signed_in_is_told_to_the_application_also_by_options(ada):
    answer = ada.forwarded(query=PASS, method="OPTIONS", headers=PREFLIGHT)

    assert (answer.status_int, answer.headers["Remote-Name"]) == (200, "Ada%20Lovelace")
