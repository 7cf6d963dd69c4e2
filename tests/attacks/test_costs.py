"""No part of a request costs more than in proportion to its length, whatever it holds."""

from itertools import islice

import pytest

from tests.attacks import costs
from tests.helpers.browser import ORIGIN, Browser
from tests.helpers.relying_party import AUTHORIZE, TOKEN, RelyingParty
from tests.openapi.described import operations
from tools.prove.costs.headers import CALLED, with_long_headers
from tools.prove.costs.values import with_long_values

# As many as there are of one parameter or field.
_AT_A_TIME = 70


@pytest.fixture
def app(make_app):
    return make_app(auth__trusted_proxies="127.0.0.1 10.0.0.0/8")


@pytest.fixture
def client(app, database):
    return RelyingParty.registered(app, database)


@pytest.fixture
def browser(app):
    signed_in = Browser(app)
    signed_in.sign_in()
    return signed_in


@pytest.fixture
def cookies(browser):
    return "; ".join(f"{name}={value}" for name, value in browser.cookies.items())


def _parts():
    """Yield each operation as often as it takes to send its requests, so many at a time."""
    for operation in operations():
        path, method, described = operation
        number = len([*with_long_values(path, method, described, {}, {})])
        for first in range(0, number, _AT_A_TIME):
            yield pytest.param(operation, first, id=f"{method} {path} {first}")


def _fast_growing(app, requests):
    """Return the names of those whose cost grows faster than their length."""
    return [each.name for each in requests if costs.grows_faster_than_its_length(app, each)]


@pytest.mark.parametrize(
    ("cost", "grows"),
    [
        (lambda length: length, False),
        (lambda length: length**2, True),
        (lambda length: length**3, True),
        (lambda length: length**2 + 0.4 * length, True),
        (lambda length: 0.2 * length + (length > 0.6), False),
        (lambda length: 0.2 * length + (length > 0.9), False),
        (lambda length: 0.009 * length**2, False),
    ],
    ids=["line", "square", "cube", "square-and-line", "early-step", "late-step", "cheap-square"],
)
def test_what_counts_as_growth(cost, grows):
    assert costs.is_growth(*(0.001 + cost(length) for length in (0, 0.5, 0.75, 1))) is grows


@pytest.mark.attack("EXHAUSTION-parsing")
@pytest.mark.engines("sqlite")
@pytest.mark.no_cover  # its cost would be measured too
@pytest.mark.parametrize("called", CALLED, ids=" ".join)
def test_no_header_and_no_cookie_costs_more_than_in_proportion(app, cookies, called):
    method, path = called

    assert _fast_growing(app, with_long_headers(path, method, cookies)) == []


@pytest.mark.attack("EXHAUSTION-parsing")
@pytest.mark.engines("sqlite")
@pytest.mark.no_cover
@pytest.mark.parametrize(("operation", "first"), [*_parts()])
def test_no_parameter_and_no_field_costs_more_than_in_proportion(
    app, browser, cookies, client, operation, first
):
    path, method, described = operation
    sound = _sound(browser, client, path)
    headers = {"Cookie": cookies, "Origin": ORIGIN} | client.credentials()

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
