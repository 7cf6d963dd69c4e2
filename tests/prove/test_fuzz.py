"""Fuzzing: the rules see what is wrong with an answer, and nothing else; reports are short."""

import pytest

from tools.bench.driver.http11 import Answer
from tools.prove.fuzz import in_process, rules, wire
from tools.prove.fuzz.values import CANARY

PAGE = {
    "Content-Type": "text/html; charset=UTF-8",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
}
GOOD = {
    "cookies": "a=b",
    "origin": "http://localhost:37960",
    "authorization": "Basic YTpi",
    "access_token": "a.b.c",
    "state": "x" * 40,
}
HOME = "https://app.example.com/callback?code=x"


def answer(status=200, body="", **headers):
    content = PAGE | {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in content.items())]
    return Answer(status, "\r\n".join(lines).encode(), body.encode())


@pytest.mark.parametrize(
    "page",
    [
        '<input value="zq7&lt;i&gt;&#34;&#39;zq8">',
        '<a href="/consent?interaction=%3Ci%3Ezq7">again</a> zq8',
    ],
)
def test_what_is_shown_escaped_breaks_no_rule(page):
    assert list(rules.broken_by(answer(body=page), set())) == []


@pytest.mark.parametrize("location", [HOME, "http://localhost:37960/", "http://a.localhost:1/x"])
def test_what_is_in_order_breaks_no_rule(location):
    found = answer(303, "<form action='/sign-in'>&lt;i&gt;</form>", Location=location)

    assert list(rules.broken_by(found, {"secret" * 8})) == []


def test_a_rule_that_is_broken_is_named(subtests):
    for wrong in (
        answer(500),
        answer(body=CANARY),
        answer(body='<input value="zq7&lt;i&gt;"&#39;zq8">'),
        answer(body="<input value='zq7&lt;i&gt;&#34;'zq8'>"),
        answer(body="Traceback (most recent call last)"),
        answer(body='<a href="javascript:alert(1)">'),
        answer(body='<form method="post" action="https://evil.example/">'),
        answer(body="secret" * 8),
        answer(Location="https://evil.example/"),
        answer(Location="https://app.example.com/callback/../x"),
        answer(Location="http://localhost@evil.example/"),
        answer(Location="//evil.example/"),
        answer(X="a\r\nSet-Cookie: zq7=1"),
        answer(X="secret" * 8),
        answer(X_Content_Type_Options=""),
        answer(Content_Security_Policy="default-src 'none'"),
        answer(body="{", Content_Type="application/json"),
    ):
        with subtests.test(wrong=wrong):
            assert list(rules.broken_by(wrong, {"secret" * 8}))


@pytest.mark.parametrize(
    ("ambiguous", "statuses"),
    [(True, [400, 200]), (True, [200]), (False, [500]), (False, [200, 503])],
)
def test_a_hidden_request_and_a_failure_are_seen(ambiguous, statuses):
    assert wire.broken(wire.Sent(b"", ambiguous=ambiguous), statuses)


@pytest.mark.parametrize(
    ("ambiguous", "statuses"), [(True, [400]), (True, []), (True, [501]), (False, [200, 200])]
)
def test_a_refusal_and_two_answers_to_two_requests_are_in_order(ambiguous, statuses):
    assert wire.broken(wire.Sent(b"", ambiguous=ambiguous), statuses) == []


def test_a_request_that_breaks_a_rule_is_reported_without_what_does_not_matter():
    def broken(request):
        return ["it is told"] if b"evil.example" in request.body else []

    report = in_process.loss(GOOD, 2000, 1, broken)

    assert report.startswith("it is told, upon POST ")
    body = report.partition("?b'' b'")[2].partition("'")[0]
    assert "evil.example" in body
    assert "&" not in body
    assert "Cookie" in report


def test_what_is_broken_by_the_first_such_request_only_is_reported_all_the_same():
    told = []

    def broken(request):
        if request.method != "POST" or told:
            return []
        told.append(str(request))
        return ["it is told once"]

    assert in_process.loss(GOOD, 200, 1, broken) == f"it is told once, upon {told[0]}"


def test_where_nothing_is_broken_so_many_different_requests_are_sent():
    sent = []

    def broken(request):
        sent.append(repr((request.method, request.path, request.query, request.body)))
        return []

    assert in_process.loss(GOOD, 500, 1, broken) is None
    assert len(sent) == 500
    assert len(set(sent)) > 400
