"""Fuzzing: the rules see what is wrong with an answer, and nothing else; reports are short."""

import logging
import random

import pytest
from requests import PreparedRequest
from schemathesis import Response
from webob import Request

from tools.prove.fuzz import part, rules, wire
from tools.prove.fuzz.rules import CANARY
from tools.prove.fuzz.service import ORIGIN, service

PAGE = {
    "Content-Type": "text/html; charset=UTF-8",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
}
HOME = "https://app.example.com/callback?code=x"
LOG = logging.getLogger(__name__)


def answer(body="", status=200, **headers):
    content = PAGE | {name.replace("_", "-"): value for name, value in headers.items()}
    lowered = {name.lower(): [value] for name, value in content.items()}
    return Response(status, lowered, body.encode(), PreparedRequest(), elapsed=0, verify=False)


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
    found = answer("<form action='/sign-in'>&lt;i&gt;</form>", Location=location)

    assert list(rules.broken_by(found, {"secret" * 8})) == []


def test_a_rule_that_is_broken_is_named(subtests):
    for wrong in (
        answer(status=500),
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


@pytest.fixture
def losses(caplog):
    """Send a request of every kind to an application made of the service's, and return them."""
    log = rules.LogRules()
    logging.getLogger().addHandler(log)
    caplog.set_level(logging.INFO)

    def send(changed):
        with service() as target:
            target.application = changed(target)
            requests = part.Requests(target, log, random.Random(1))
            requests.send(1)
        return requests.losses

    yield send
    logging.getLogger().removeHandler(log)


def test_the_service_as_it_is_loses_nothing(losses):
    assert losses(lambda target: target.application) == []


def failing(*_):
    raise KeyError("planted")


# What happens to the answers to an address, which may be told a secret, and what is said of it.
FAULTS = {
    "/api/auth/ok": (failing, "KeyError: 'planted'"),
    "/api/health": (lambda answer, _: setattr(answer, "status", 500), "status 500"),
    "/api/ready": (lambda answer, _: setattr(answer, "status", 418), "Undocumented status code"),
    "/api/auth/jwks": (
        lambda answer, _: setattr(answer, "body", b"{"),
        "JSON deserialization error",
    ),
    "/api/auth/get-session": (
        lambda answer, secret: setattr(answer, "text", secret),
        "an answer holds what is another user's or a secret",
    ),
    "/signed-out": (
        lambda answer, _: setattr(answer, "text", CANARY),
        "a page shows what was sent as a part of itself",
    ),
    "/api/auth/sign-in/begin": (
        lambda answer, _: setattr(answer, "location", f"{ORIGIN}/signed-out"),
        "a page shows what was sent as a part of itself",
    ),
    "/": (
        lambda answer, _: setattr(answer, "location", "https://evil.example/"),
        "a redirect leads to 'evil.example'",
    ),
    "/account": (
        lambda _, secret: LOG.info("told %s", secret),
        "the log of tests.prove.test_fuzz holds a secret",
    ),
    "/error": (
        lambda *_: LOG.info("for Local Developer"),
        "the log of tests.prove.test_fuzz names a person",
    ),
}


def test_what_breaks_a_rule_is_told_with_the_request(losses, subtests):
    def faulty(target):
        application = target.application

        def answer(environ, start):
            given = Request(environ).get_response(application)
            if environ["PATH_INFO"] in FAULTS:
                FAULTS[environ["PATH_INFO"]][0](given, target.client.secret)
            return given(environ, start)

        return answer

    found = losses(faulty)

    for path, (_, reason) in FAULTS.items():
        with subtests.test(path):
            of_path = [loss for loss in found if f"upon GET {path}: curl -X GET " in loss]
            assert any(loss.startswith(reason) for loss in of_path), of_path
