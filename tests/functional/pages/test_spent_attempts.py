"""A sign-in attempt asks the identity provider once, and only for the browser that began it."""

from contextlib import ExitStack, contextmanager

import pytest
from sqlalchemy import update

from authservice import clock
from authservice.models import verification
from tests.helpers.cookies import cookies_set_by
from tests.helpers.production import production_app, production_browser

CALLBACK = "/api/auth/callback/github"
TOKEN = "/login/oauth/access_token"


@pytest.fixture
def app(make_app, monkeypatch, standin):
    return production_app(make_app, monkeypatch, **standin.ini)


@pytest.fixture
def browser(app):
    return production_browser(app)


def _back(browser, standin):
    """Return the address to which the provider sends the browser back."""
    form = browser.get("/sign-in", {"callbackURL": "/home"}).forms[0]
    return standin.allow(form.submit("choice", value="sign-in").location)


def _visit(browser, address, times=1):
    return [browser.visit(address, expect_errors=True) for _ in range(times)]


@pytest.mark.attack("TOKENS-spent-attempt")
@pytest.mark.parametrize("kind", ["500", "not_json", "reset"])
def test_a_provider_that_fails_is_asked_once_for_each_attempt(browser, standin, kind):
    standin.fault(TOKEN, kind)
    back = _back(browser, standin)

    first, *more = _visit(browser, back, 10)

    assert len(standin.requests(TOKEN)) == 1
    assert first.status_int in {400, 503}
    assert {answer.status_int for answer in more} == {400}
    assert all("This sign-in has expired" in answer.text for answer in more)
    assert "Sign in again" in more[0].text


@pytest.mark.attack("TOKENS-spent-attempt")
def test_an_invented_code_is_tried_once(browser, standin):
    state = _back(browser, standin).partition("state=")[2].partition("&")[0]

    _visit(browser, f"{CALLBACK}?code=invented&state={state}", 5)

    assert len(standin.requests(TOKEN)) == 1


@pytest.mark.attack("TOKENS-spent-attempt")
def test_another_browser_does_not_make_us_ask(app, browser, standin):
    back = _back(browser, standin)

    for answer in _visit(production_browser(app), back, 3):
        assert answer.status_int == 400
        assert "Set-Cookie" not in answer.headers

    assert standin.requests(TOKEN) == []
    assert browser.visit(back).status_int == 303


def test_an_attempt_that_failed_is_forgotten_by_its_browser(browser, standin):
    standin.fault(TOKEN, "500")

    (answer,) = _visit(browser, _back(browser, standin))

    (cookie,) = cookies_set_by(answer).values()
    assert cookie.value == ""
    assert "Max-Age=0" in cookie.attributes


def test_after_a_failure_a_new_attempt_succeeds(browser, standin):
    standin.fault(TOKEN, "500")
    _visit(browser, _back(browser, standin))
    standin.repair(TOKEN)

    assert browser.visit(_back(browser, standin)).status_int == 303
    assert len(standin.requests(TOKEN)) == 2


def test_no_page_loads_itself_again_whose_attempt_is_spent(browser, standin):
    standin.fault(TOKEN, "500")

    first, second = _visit(browser, _back(browser, standin), 2)

    assert "Refresh" not in first.headers
    assert "Refresh" not in second.headers


@pytest.mark.attack("EXHAUSTION-threads")
def test_who_waits_for_another_callback_occupies_no_thread_beyond_the_places(
    app, browser, standin, database, turnable_clock
):
    back = _back(browser, standin)
    # Another callback is being exchanged.
    with database.transaction() as connection:
        connection.execute(update(verification).values(updated_at=clock.now()))
    with _no_place_left(app):
        waiting = browser.visit(back, status=503)
        turnable_clock.advance(seconds=3)
        given_up = browser.visit(back, status=400)

    assert waiting.headers["Refresh"] == "2"
    assert "This sign-in has expired" in given_up.text


def test_nobody_waits_for_a_callback_that_has_failed(app, browser, standin):
    standin.fault(TOKEN, "500")
    back = _back(browser, standin)
    dropped = production_browser(app, browser.cookie_header())
    browser.visit(back, status=503)

    with _no_place_left(app):
        assert "This sign-in has expired" in dropped.visit(back, status=400).text


@contextmanager
def _no_place_left(app):
    places = app.registry.components.sign_in_places
    places._patience = 0.0
    with ExitStack() as held:
        for _ in range(4):
            held.enter_context(places.place("203.0.113.8"))
        yield


def test_who_finds_no_place_keeps_the_attempt_and_loads_the_page_again(app, browser, standin):
    back = _back(browser, standin)
    with _no_place_left(app):
        answer = browser.visit(back, status=503)

    assert (answer.headers["Retry-After"], answer.headers["Refresh"]) == ("2", "2")
    assert "Please wait a moment" in answer.text
    assert standin.requests(TOKEN) == []
    assert browser.visit(back).status_int == 303
