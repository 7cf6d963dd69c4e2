"""No part of a request costs more than in proportion to its length, whatever it holds."""

import pytest

from prove.costs.headers import CALLED, with_long_headers
from prove.costs.values import with_long_values
from tests.attacks import costs
from tests.browser import ORIGIN, Browser
from tests.openapi.described import operations
from tests.relying_party import AUTHORIZE, TOKEN, RelyingParty


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


def _id(operation):
    path, method, _ = operation
    return f"{method} {path}"


every_operation = pytest.mark.parametrize("operation", [*operations()], ids=_id)


def _fast_growing(app, requests):
    """Return the names of those whose cost grows faster than their length."""
    return [each.name for each in requests if costs.grows_faster_than_its_length(app, each)]


@pytest.mark.attack("EXHAUSTION-parsing")
@pytest.mark.engines("sqlite")
@pytest.mark.parametrize("called", CALLED, ids=" ".join)
def test_no_header_and_no_cookie_costs_more_than_in_proportion(app, cookies, called):
    method, path = called

    assert _fast_growing(app, with_long_headers(path, method, cookies)) == []


@pytest.mark.attack("EXHAUSTION-parsing")
@pytest.mark.engines("sqlite")
@every_operation
def test_no_parameter_and_no_field_costs_more_than_in_proportion(
    app, browser, cookies, client, operation
):
    path, method, described = operation
    sound = _sound(browser, client, path)
    headers = {"Cookie": cookies, "Origin": ORIGIN} | client.credentials()

    requests = with_long_values(path, method, described, sound, headers)

    assert _fast_growing(app, requests) == []


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
