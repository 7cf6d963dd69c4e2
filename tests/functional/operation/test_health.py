"""GET /api/health: the process serves, whatever becomes of its database."""

import pytest

from authservice.database.database import Database
from tests.helpers.browser import Browser
from tests.helpers.statements import statements  # noqa: F401  (a fixture)

PATH = "/api/health"


@pytest.mark.story("health")
def test_it_answers_its_status_and_its_name(browser):
    answer = browser.get(PATH)

    assert answer.json == {"status": "ok", "service": "authservice"}
    assert answer.content_type == "application/json"
    assert answer.headers["Cache-Control"] == "no-store"


def test_the_name_is_a_setting(make_app):
    assert Browser(make_app(auth__service_name="sso")).get(PATH).json["service"] == "sso"


def test_it_sets_no_cookie_and_needs_none(browser):
    assert "Set-Cookie" not in browser.get(PATH).headers
    browser.sign_in()
    assert "Set-Cookie" not in browser.get(PATH).headers


def test_a_head_request_has_the_same_headers_and_no_body(browser):
    answer = browser.head(PATH)

    assert answer.status_int == 200
    assert answer.body == b""


@pytest.mark.engines("sqlite")
def test_it_asks_the_database_nothing(browser, statements):  # noqa: F811
    browser.sign_in()
    assert statements
    statements.clear()

    browser.get(PATH)

    assert statements == []


def test_it_answers_without_its_database(app, browser, monkeypatch):
    app.registry.components.close()
    monkeypatch.setattr(Database, "reader", property(lambda _self: 1 / 0))
    monkeypatch.setattr(Database, "transaction", lambda _self: 1 / 0)

    assert browser.get(PATH).json["status"] == "ok"


def test_any_page_may_ask(browser):
    answer = browser.get(PATH, headers={"Origin": "https://status.example.net"})

    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in answer.headers
