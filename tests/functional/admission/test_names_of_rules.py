"""Names in rules get their numbers from the provider, at the start and soon after: no sign-in."""

import logging
import threading

import pytest

from authservice.events import SignInRefused
from authservice.identity_provider import rule_names
from authservice.services.admission import pins
from tests.helpers.admission import Gate, pin
from tests.helpers.relying_party import RelyingParty
from tests.helpers.waiting import until

OCTOCAT, HUBOT = "583231", "480938"
ORG = "/api/orgs/acme"


@pytest.fixture
def gate(make_app, monkeypatch, standin):
    members = {"octocat": "active"}
    teams = {"platform": {"id": 71, "members": members}}
    standin.organization("Acme", id=7, members=members, teams=teams)
    return Gate(make_app, monkeypatch, standin)


def numbers(database):
    return {text: each.number for text, each in pins.all_pins(database.reader).items()}


def questions(standin):
    """Return which names were looked up."""
    asked = [each["path"] for each in standin.requests()]
    return [path for path in asked if path.startswith(("/api/orgs/", "/api/users/"))]


def test_a_start_asks_for_those_of_the_settings_and_of_clients(gate, database, standin):
    RelyingParty.registered(gate.serves(), database, allow=("user:Hubot", "id:1", "org:acme"))
    rules = {"admission__organizations": "acme/platform", "admission__users": "user:octocat"}

    gate.serves(**rules)

    assert numbers(database) == {"org:acme": "7", "user:hubot": HUBOT, "user:octocat": OCTOCAT}
    seen = questions(standin)
    gate.serves(**rules)
    assert questions(standin) == seen, "what has a number is not asked for again"


@pytest.mark.attack("ADMISSION-first-comer")
@pytest.mark.parametrize(
    "rules",
    [
        {"admission__organizations": "acme"},
        {"admission__organizations": "acme/platform"},
        {"admission__users": "user:octocat"},
    ],
)
def test_nobody_gives_a_name_its_number_by_coming(gate, database, standin, happened, rules):
    for path in (ORG, "/api/users/octocat"):
        standin.fault(path, "502")
    app = gate.serves(**rules)

    person, answer = gate.come(app)

    assert (answer.status_int, person.session()) == (403, None)
    (refusal,) = [event for event in happened() if isinstance(event, SignInRefused)]
    assert refusal.reason == "name_unresolved"
    assert numbers(database) == {}

    for path in (ORG, "/api/users/octocat"):
        standin.repair(path)
    app.registry.components.rule_names.resolve()
    pin(database, {"team:acme/platform": "71"})
    person, _ = gate.come(app)
    assert person.session()["user"]["name"] == "Mona Lisa"


def test_groups_without_a_number_are_told_nobody(gate, standin):
    standin.fault(ORG, "502")

    person, _ = gate.come(gate.serves(claims__groups_from="acme"))

    assert person.session()["user"]["groups"] == []


@pytest.mark.parametrize("fault", ["502", "rate_limited", "429", "reset"])
def test_an_outage_is_said_once_and_ends_the_questions(
    gate, database, standin, caplog, turnable_clock, fault
):
    standin.fault(ORG, fault)
    with caplog.at_level(logging.WARNING):
        app = gate.serves(admission__organizations="acme", admission__users="user:hubot")
        names = app.registry.components.rule_names
        # What the provider says of its next answer is another moment by then.
        turnable_clock.advance(seconds=5)
        names.resolve()

    said = [each for each in caplog.messages if "admits nobody yet" in each]
    assert len(said) == 1
    assert said[0].startswith("every name without a number")
    assert {*questions(standin)} == {ORG}


def test_a_question_that_is_refused_stops_no_other(gate, database, standin, caplog):
    standin.fault(ORG, "forbidden")

    gate.serves(admission__organizations="acme", admission__users="user:hubot")

    assert numbers(database) == {"user:hubot": HUBOT}
    assert [each for each in caplog.messages if each.startswith("org:acme admits nobody yet")]


def test_a_secret_that_does_not_hold_is_tried_once(gate, database, standin):
    standin.application(client_secret="another")

    gate.serves(admission__users="user:hubot user:octocat")

    assert len(questions(standin)) == 1
    assert numbers(database) == {}


def test_it_is_said_that_the_number_of_a_team_has_to_be_named(gate, caplog):
    gate.serves(admission__organizations="acme acme/platform")

    (said,) = [each for each in caplog.messages if "admits nobody" in each]
    assert said.startswith("team:acme/platform")
    assert said.endswith("authservice admission pin team:acme/platform --number NUMBER")


def test_a_name_that_nobody_has_is_not_tried_again(gate, database, standin, caplog):
    app = gate.serves(admission__organizations="later")
    standin.organization("later", id=66)
    app.registry.components.rule_names.resolve()

    assert numbers(database) == {}
    assert questions(standin) == ["/api/orgs/later"]
    assert [each for each in caplog.messages if each.startswith("org:later admits nobody")]

    gate.serves(admission__organizations="later")
    assert numbers(database) == {"org:later": "66"}


def test_what_had_no_answer_is_asked_again(gate, database, standin, monkeypatch):
    monkeypatch.setattr(rule_names, "_AGAIN_AFTER", 0.05)
    standin.fault(ORG, "502")
    app = gate.serves(admission__organizations="acme")
    assert numbers(database) == {}

    standin.repair(ORG)
    until(lambda: numbers(database) == {"org:acme": "7"})
    RelyingParty.registered(app, database, allow=("user:hubot",))
    until(lambda: "user:hubot" in numbers(database))


def test_a_service_that_ends_asks_no_further_question(gate, database, standin):
    standin.fault(ORG, "502")
    app = gate.serves(admission__organizations="acme")
    seen, ended = questions(standin), threading.Event()
    ended.set()

    app.registry.components.rule_names.resolve(ended=ended)

    assert questions(standin) == seen != []


def test_local_mode_asks_nobody(make_app):
    app = make_app(admission__organizations="acme", admission__users="user:octocat")

    assert app.registry.components.rule_names is None
