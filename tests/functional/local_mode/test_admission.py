"""Rules in local mode: what a person is called and in which groups decides, without a provider."""

import pytest

from tests.helpers.browser import Browser
from tests.helpers.control import Control

ACME = {"admission__organizations": "acme"}


@pytest.fixture
def app(make_app):
    """A service that only people of one organization may enter."""
    return make_app(**ACME)


@pytest.fixture
def control(app):
    """A program with the token, and two persons whom it has put."""
    control = Control(app)
    control.put("persons/anna", {"groups": ["acme"]})
    control.put("persons/bob", {"groups": ["other"], "username": "Bobby"})
    return control


def come(app, person):
    browser = Browser(app)
    form = browser.get("/sign-in", {"person": person}).forms[0]
    leaving = form.submit("choice", value="sign-in")
    if person != "local-developer":
        assert f"code={person}" in leaving.location
    answer = browser.visit(leaving.location, expect_errors=True)
    return browser, answer


def test_a_member_enters_and_another_person_does_not(app, control):
    anna, _ = come(app, "anna")
    bob, refused = come(app, "bob")

    assert anna.session()["user"]["id"] == "anna"
    assert bob.session() is None
    assert refused.status_int == 403
    assert "Bobby" in refused.html.main.text


def test_the_local_developer_always_enters(app, control):
    browser, _ = come(app, "local-developer")

    assert browser.session()["user"]["id"] == "local-developer"


@pytest.mark.parametrize(
    ("rules", "enters"),
    [
        ({"admission__users": "user:BOBBY"}, True),
        ({"admission__organizations": "other/team"}, False),
        ({"admission__organizations": "other"}, True),
        ({}, True),
    ],
)
def test_names_are_the_numbers(make_app, rules, enters):
    app = make_app(**rules)
    Control(app).put("persons/bob", {"groups": ["Other"], "username": "Bobby"})

    browser, _ = come(app, "bob")

    assert (browser.session() is not None) is enters


def test_who_leaves_a_group_loses_the_session(app, control, turnable_clock):
    anna, _ = come(app, "anna")
    turnable_clock.advance(seconds=1)
    control.put("persons/anna", {"groups": []})

    _, answer = come(app, "anna")

    assert answer.status_int == 403
    assert anna.session() is None


def test_a_session_by_the_control_api_obeys_the_rules(control):
    assert control.ask("POST", "sessions", {"person": "anna"}).status_int == 200
    refused = control.ask("POST", "sessions", {"person": "bob"})

    assert (refused.status_int, refused.json["field"]) == (403, "person")
    assert "rules of admission" in refused.json["error"]


def test_a_session_whose_person_is_to_be_confirmed_leads_to_the_page(app, control, turnable_clock):
    anna, _ = come(app, "anna")
    turnable_clock.advance(days=2)

    assert anna.session() is None
    page = anna.get("/sign-in", {"person": "anna"})
    assert page.status_int == 200
    anna.follow_home(page.forms[0].submit("choice", value="sign-in"))

    assert anna.session()["user"]["id"] == "anna"
