"""No part of a request costs more than in proportion to its length, whatever it holds."""

from itertools import islice

import pytest

from tests.attacks import costs
from tests.attacks.long_requests.headers import CALLED, with_long_headers
from tests.attacks.long_requests.values import with_long_values
from tests.helpers.browser import ORIGIN, Browser
from tests.helpers.relying_party import AUTHORIZE, TOKEN, RelyingParty
from tests.openapi.described import BY_ID, operations

# They take a second, and ten on a busy machine, where each is measured again and again.
_AT_A_TIME = 100
_GROWTH = {
    "line": (lambda length: length, False),
    "square": (lambda length: length**2, True),
    "cube": (lambda length: length**3, True),
    "square and line": (lambda length: length**2 + 0.4 * length, True),
    "early step": (lambda length: 0.2 * length + (length > 0.6), False),
    "late step": (lambda length: 0.2 * length + (length > 0.9), False),
    "cheap square": (lambda length: 0.009 * length**2, False),
}


@pytest.fixture
def app(make_app):
    return make_app(auth__trusted_proxies="127.0.0.1 10.0.0.0/8")


def _signed_in(app):
    browser = Browser(app)
    browser.sign_in()
    return browser


def _parts():
    """Yield each operation as often as it takes to send its requests, so many at a time."""
    for path, method, described in operations():
        number = len([*with_long_values(path, method, described, {}, {})])
        for first in range(0, number, _AT_A_TIME):
            yield pytest.param((path, method, described), first, id=f"{method} {path} {first}")


def _fast_growing(app, requests):
    """Return the names of those whose cost grows faster than their length."""
    return [each.name for each in requests if costs.grows_faster_than_its_length(app, each)]


def test_what_counts_as_growth(subtests):
    for name, (cost, grows) in _GROWTH.items():
        with subtests.test(name=name):
            parts = (0.001 + cost(length) for length in (0, 0.5, 0.75, 1))
            assert costs.is_growth(*parts) is grows


@pytest.mark.attack("EXHAUSTION-parsing")
@pytest.mark.engines("sqlite")
@pytest.mark.no_cover  # its cost would be measured too
def test_no_header_and_no_cookie_costs_more_than_in_proportion(subtests, app):
    for method, path in CALLED:
        with subtests.test(method=method, path=path):
            cookies = _signed_in(app).cookie_header()
            assert _fast_growing(app, with_long_headers(path, method, cookies)) == []


@pytest.mark.attack("EXHAUSTION-parsing")
@pytest.mark.engines("sqlite")
@pytest.mark.no_cover
@pytest.mark.parametrize(("operation", "first"), [*_parts()])
def test_no_parameter_and_no_field_costs_more_than_in_proportion(app, database, operation, first):
    path, method, described = operation
    client = RelyingParty.registered(app, database)
    browser = _signed_in(app)
    sound = _sound(browser, client, path)
    headers = {"Cookie": browser.cookie_header(), "Origin": ORIGIN} | client.credentials()

    requests = with_long_values(path, method, described, sound, headers)

    assert _fast_growing(app, islice(requests, first, first + _AT_A_TIME)) == []


def _sound(browser, client, path):
    """Return parameters with which a request gets as far as it can."""
    if path == AUTHORIZE:
        return client.request()
    if path == TOKEN:
        return {
            "grant_type": "authorization_code",
            "code": "x",
            "redirect_uri": client.redirect_uri,
            "code_verifier": client.verifier,
        }
    if path.startswith("/api/auth/"):
        return {"token": "x"}
    form = browser.get("/sign-in" if path == "/sign-in" else "/account").forms[0]
    return {"csrf_token": form["csrf_token"].value}


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
