"""The sign-in page of local mode: search, the requested person, and signing in by itself."""

from contextlib import ExitStack
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.helpers.browser import Browser
from tests.helpers.control import Control
from tests.helpers.relying_party import RelyingParty


@pytest.fixture
def anna(control):
    control.put("persons/anna", {"name": "Anna", "email": "anna@example.com"})


def _buttons(page):
    return [each["value"] for each in page.html.select("button[name=person]")]


def _fill(control, number):
    for each in range(number):
        control.put(f"persons/p{each}", {"name": f"Person {each}"})


def test_the_search_comes_with_the_tenth_person(app, control):
    _fill(control, 8)
    assert not Browser(app).get("/sign-in").html.select("input[type=search]")

    _fill(control, 9)
    assert Browser(app).get("/sign-in").html.select("input[type=search]")


def test_the_search_shows_those_that_match_and_keeps_where_it_leads(app, control):
    _fill(control, 12)
    page = Browser(app).get("/sign-in", {"callbackURL": "/account"})
    form = page.forms[0]
    form["search"] = "PERSON 1"

    found = form.submit()

    assert _buttons(found) == ["p1", "p10", "p11"]
    signed_in = found.forms[1].submit("person", value="p10").follow()
    assert signed_in.location.endswith("/account")


def test_a_search_for_none_says_so(app, control):
    _fill(control, 12)

    page = Browser(app).get("/sign-in", {"search": "zz"})

    assert _buttons(page) == []
    assert "No person has this" in page.text


def test_the_address_asks_for_a_person(app, anna):
    browser = Browser(app)
    page = browser.get("/sign-in", {"person": "anna"})

    assert _buttons(page) == ["anna"]
    page.forms[0].submit().follow()
    assert browser.session()["user"]["id"] == "anna"


def test_from_there_everyone_else_can_be_chosen(app, anna):
    page = Browser(app).get("/sign-in", {"person": "anna", "callbackURL": "/account"})

    assert _buttons(page.click("Sign in as another person")) == ["local-developer", "anna"]


def test_a_person_who_is_not_there_is_not_asked_for(app, anna):
    page = Browser(app).get("/sign-in", {"person": "nobody"})

    assert _buttons(page) == ["local-developer", "anna"]


@pytest.mark.parametrize("hint", ["anna", "ANNA@example.com"])
def test_the_login_hint_asks_for_a_person(app, database, anna, hint):
    browser, relying_party = Browser(app), RelyingParty.registered(app, database)

    page = relying_party.authorize(browser, login_hint=hint).follow()

    assert _buttons(page) == ["anna"]
    everyone = page.click("Sign in as another person")
    assert _buttons(everyone) == ["local-developer", "anna"]


def test_who_is_signed_in_may_go_on_or_change(app, anna):
    browser = Browser(app)
    browser.get("/sign-in", {"person": "anna"}).forms[0].submit().follow()

    page = browser.get("/sign-in")
    assert "Continue as" in page.text
    assert _buttons(page) == ["local-developer", "anna"]
    page.forms[0].submit("person", value="local-developer").follow()
    assert browser.session()["user"]["id"] == "local-developer"


class TestAutomatic:
    @pytest.fixture
    def app(self, make_app):
        return make_app(local__sign_in="automatic")

    def test_the_first_person_is_signed_in(self, app, anna):
        browser = Browser(app)

        answer = browser.follow_home(browser.get("/sign-in", {"callbackURL": "/account"}))

        assert answer.request.path == "/account"
        assert browser.session()["user"]["id"] == "local-developer"

    def test_the_person_of_the_address_is_signed_in(self, app, anna):
        browser = Browser(app)
        browser.follow_home(browser.get("/sign-in", {"person": "anna"}))

        assert browser.session()["user"]["id"] == "anna"

    def test_the_person_of_the_login_hint_is_signed_in(self, app, database, anna):
        browser, relying_party = Browser(app), RelyingParty.registered(app, database)
        page = browser.follow_home(relying_party.authorize(browser, login_hint="anna"))

        assert browser.session()["user"]["id"] == "anna"
        assert page.request.path == "/consent"

    def test_nothing_else_signs_in(self, app, database, anna):
        browser, relying_party = Browser(app), RelyingParty.registered(app, database)

        silent = relying_party.authorize(browser, prompt="none", login_hint="anna")

        assert parse_qs(urlsplit(silent.location).query)["error"] == ["login_required"]
        assert browser.get("/").status_int == 200
        assert browser.session() is None

    def test_a_return_to_elsewhere_is_refused_as_always(self, app, anna):
        page = Browser(app).get(
            "/sign-in", {"callbackURL": "https://evil.example"}, expect_errors=True
        )

        assert page.status_int == 403

    def test_who_may_not_enter_is_told_so(self, app, control):
        control.put("persons/carol", {"may_enter": False})
        browser = Browser(app)

        answer = browser.get("/sign-in", {"person": "carol"}).follow(expect_errors=True)

        assert answer.status_int == 403
        assert browser.session() is None


def test_the_settings_name_the_two_ways(make_app):
    with pytest.raises(SystemExit, match=r"local\.sign_in"):
        Control(make_app(local__sign_in="always"))


def test_any_number_signs_in_at_the_same_time(app, caplog):
    places = app.registry.components.sign_in_places
    places.fit(threads=2)
    # A warning of fewer places would not be true.
    assert caplog.messages == []

    with ExitStack() as taken:
        for _ in range(100):
            taken.enter_context(places.place("127.0.0.1"))
        browser = Browser(app)
        browser.sign_in()
    assert browser.session() is not None
