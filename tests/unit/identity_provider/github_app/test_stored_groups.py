"""What is stored of the groups of people follows the lists that the poll reads."""

import pytest

from authservice.services.admission import decision_by_settings, pins, stored_people
from authservice.services.admission.decision import Person
from authservice.settings.admission import rules
from tests.helpers.github_app import HUBOT, MONA

ONCALL = rules.parse("team:acme/oncall")


def test_what_is_stored_of_their_groups_follows(service, standin, turnable_clock):
    mona = service.sign_in()
    service.poll()
    assert service.stored(mona).groups == ("acme", "acme/oncall", "acme/platform")

    standin.organization("Acme", teams={"oncall": {"members": {}}})
    turnable_clock.advance(minutes=11)
    service.poll()

    assert service.stored(mona).groups == ("acme",)
    assert service.is_alive(mona)


@pytest.mark.attack("ADMISSION-freed-name")
def test_a_team_under_a_name_that_another_had_is_not_told_until_an_operator_says_so(
    service, standin, turnable_clock, caplog
):
    mona, hubot = service.sign_in(MONA), service.sign_in(HUBOT)
    service.poll()
    standin.forget("team", "Acme/oncall")
    again = {"id": 79, "members": {"hubot": "active"}}
    standin.organization("Acme", teams={"oncall": again})
    for _ in range(2):
        turnable_clock.advance(minutes=11)
        service.poll()

    assert service.stored(mona).groups == service.stored(hubot).groups == ("acme",)
    assert caplog.text.count("team:acme/oncall counts for nobody any more") == 1
    stored = stored_people.find(service.database.reader, "github", HUBOT)
    assert stored.memberships == {"acme": "7"}

    with service.database.transaction() as connection:
        pins.renew(connection, ONCALL, pins.of_rules(connection, [ONCALL])[str(ONCALL)], "79")
    turnable_clock.advance(minutes=11)
    service.poll()
    assert service.stored(hubot).groups == ("acme", "acme/oncall")


def test_a_team_that_was_renamed_has_its_new_name_and_nobody_else_its_old_one(
    service, standin, turnable_clock
):
    mona, hubot = service.sign_in(MONA), service.sign_in(HUBOT)
    service.poll()
    standin.organization("Acme", teams={"oncall": {"slug": "standby"}})
    standin.organization("Acme", teams={"oncall": {"id": 79, "members": {"hubot": "active"}}})
    turnable_clock.advance(minutes=11)

    service.poll()

    assert service.stored(mona).groups == ("acme", "acme/platform", "acme/standby")
    assert service.stored(hubot).groups == ("acme",)


def test_a_sign_in_sees_new_teams_and_gives_no_number_to_one_of_a_rule(make_service, standin):
    service = make_service("acme acme/platform")
    pinned = {"org:acme": "7"}
    with service.database.transaction() as connection:
        pins.learn(connection, {rules.parse(text): each for text, each in pinned.items()})
        person = Person(MONA, "octocat", None, service.groups_at_sign_in())
        decision_by_settings.decide(connection, service.settings, person)
        stored = {text: pin.number for text, pin in pins.all_pins(connection).items()}

    assert stored == pinned | {"team:acme/oncall": "72"}


def test_groups_of_what_cannot_be_read_stay(make_service, standin, turnable_clock):
    standin.organization("Beta", id=8, installation=80, members={"octocat": "active"})
    service = make_service("acme beta")
    mona = service.sign_in()
    service.poll()
    assert service.stored(mona).groups == ("acme", "acme/oncall", "acme/platform", "beta")
    standin.organization("Acme", teams={"oncall": {"members": {}}})

    with standin.failing("/api/orgs/beta/members", "forbidden"):
        turnable_clock.advance(minutes=11)
        service.poll()

    assert service.stored(mona).groups == ("acme", "beta")
