"""What is free with a session, and what counts for it, wherever the requests come from."""

from itertools import count

import pytest

from authservice.web.routes import ROUTES, Counted
from tests.functional.rate_limits.asking import SESSION, at, get
from tests.helpers.production import production_app, production_browser, signed_in_cookies


def test_a_valid_session_makes_asking_for_it_free(app, database):
    browser = production_browser(app, signed_in_cookies(app, database))

    assert set(get(browser, SESSION, 120) + get(browser, "/api/auth/token", 120)) == {200}


@pytest.mark.attack("BROWSER-many-cookies")
def test_a_session_is_signed_so_often_from_wherever_it_is_asked(app, database):
    browser = production_browser(app, signed_in_cookies(app, database))
    other = production_browser(app, signed_in_cookies(app, database))
    path = "/api/auth/token"

    assert set(get(browser, path, 300)) == {200}

    refused = at(browser, "203.0.113.9").get(path, expect_errors=True)
    assert refused.status_int == 429
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert get(other, path, 1) == [200]
    assert get(browser, SESSION, 1) == [200]


WRITES = [
    ("POST" if "POST" in route.methods else "GET", route)
    for route in ROUTES
    if route.name in {"callback", "sign_in.begin"}
    or ("POST" in route.methods and route.counted is not Counted.CLIENTS)
]


@pytest.mark.attack("BROWSER-many-cookies")
def test_a_session_writes_so_often_from_wherever_it_does(subtests, make_app, monkeypatch, database):
    app = production_app(make_app, monkeypatch, ratelimit__session_requests="1")
    addresses = (f"203.0.113.{number}" for number in count())

    def ask(method, route, cookies):
        browser = at(production_browser(app, cookies), next(addresses))
        path = route.path.replace("{provider_id}", "github")
        return browser._gen_request(method, path, expect_errors=True).status_int

    for method, route in WRITES:
        with subtests.test(method=method, route=route.name):
            cookies = signed_in_cookies(app, database)
            other = signed_in_cookies(app, database)
            shared_alone = cookies.partition("; ")[0]

            # A sibling application, which has the shared cookie alone, takes nothing from the
            # person.
            assert ask(method, route, shared_alone) != 429
            assert ask(method, route, cookies) != 429
            assert ask(method, route, cookies) == 429
            assert ask(method, route, other) != 429


def test_other_addresses_of_the_api_are_not_free_with_a_session(app, database):
    browser = production_browser(app, signed_in_cookies(app, database))

    assert get(browser, "/api/auth/list-sessions", 101) == [200] * 100 + [429]
