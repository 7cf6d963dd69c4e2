"""What events and polls may ask of the provider, so that sign-ins and departures always can."""

import pytest

from tests.helpers import provider_events
from tests.helpers.github_app import HUBOT, MONA

ALL, KEPT = 5000, 1250
MONA_AS_GITHUB_SAYS = {"login": "octocat", "id": int(MONA)}
MEMBERSHIP = "/api/orgs/acme/memberships/hubot"


def left(standin):
    """Return how many questions about Acme the provider still takes."""
    return ALL - standin.spent("Acme")


def noise(number, person=None):
    """Return an event about somebody who came to a team that anybody can make."""
    return provider_events.membership("added", person, team=9000 + number)


def spend(standin, left):
    """Leave so many questions, and let the service see it."""
    standin.app(spent={"Acme": ALL - left})


@pytest.mark.attack("ADMISSION-noise")
def test_events_of_one_person_that_wait_are_asked_about_once(service, standin):
    service.sign_in(HUBOT)
    service.poll()
    for number in range(240):
        service.hear_while_ending("membership", noise(number))
    before = left(standin)

    service.look()

    assert len(standin.requests(MEMBERSHIP)) == 1
    assert before - left(standin) < 10


@pytest.mark.attack("ADMISSION-noise")
def test_one_person_s_events_take_a_fiftieth_of_the_hour_and_others_go_on(
    service, standin, turnable_clock
):
    hubot, mona = service.sign_in(HUBOT), service.sign_in(MONA)
    service.poll()
    before = left(standin)
    for number in range(80):
        service.hear("membership", noise(number))
    assert before - left(standin) == ALL // 50

    turnable_clock.advance(minutes=1)
    service.hear("membership", noise(0, MONA_AS_GITHUB_SAYS))
    assert service.stored(mona).admitted_at == turnable_clock.moment
    turnable_clock.advance(minutes=60)
    service.hear("membership", noise(999))
    assert service.stored(hubot).admitted_at == turnable_clock.moment


@pytest.mark.attack("ADMISSION-noise")
def test_noise_buys_nobody_time(subtests, service, standin, turnable_clock):
    for name, content in (
        ("membership", noise),
        ("organization", lambda _: provider_events.organization("member_removed")),
    ):
        with subtests.test(name=name):
            turnable_clock.advance(hours=1)
            standin.organization("Acme", members={"octocat": "active", "hubot": "active"})
            hubot = service.sign_in(HUBOT)
            service.poll()
            before = left(standin)
            for number in range(100):
                service.hear(name, content(number))
            standin.organization("Acme", members={"octocat": "active"})

            service.hear("organization", provider_events.organization("member_removed"))

            assert not service.is_alive(hubot)
            assert before - left(standin) <= 2 * ALL // 50


def test_however_many_teams_rules_name_a_departure_is_asked_about(
    make_service, standin, turnable_clock
):
    names = [f"a{number}" for number in range(220)]
    of_both = {"a0", "a219"}
    teams = {
        name: {"id": 1000 + number, "members": {"hubot": "active"} if name in of_both else {}}
        for number, name in enumerate(names)
    }
    standin.organization("Acme", teams=teams)
    service = make_service(" ".join(f"acme/{name}" for name in names))
    hubot = service.sign_in(HUBOT)
    service.poll()
    before = left(standin)
    service.hear("membership", noise(1))
    # Eight questions are sent at a time.
    assert before - left(standin) == ALL // 50

    turnable_clock.advance(hours=1)
    standin.organization("Acme", teams={"a0": {"members": {}}})
    service.hear("membership", provider_events.membership("removed", team=1000))

    assert service.stored(hubot).admitted_by == "team:acme/a219"


def test_an_event_about_somebody_who_is_not_here_asks_nothing(service, standin):
    service.poll()
    before = len(standin.requests())

    service.hear("membership", noise(1))
    # A team that no rule names.
    service.hear("membership", provider_events.membership("removed", team=9001))

    assert len(standin.requests()) == before


@pytest.mark.attack("ADMISSION-noise")
def test_a_quarter_of_the_hour_is_kept_for_sign_ins_and_departures(
    make_service, standin, turnable_clock, caplog
):
    standin.organization("Beta", id=8, installation=80, members={"octocat": "active"})
    service = make_service("acme beta")
    hubot, mona = service.sign_in(HUBOT), service.sign_in(MONA)
    service.poll()
    spend(standin, KEPT + 2)
    began = turnable_clock.moment

    for number in range(3):
        turnable_clock.advance(minutes=11)
        service.poll()
        service.hear("membership", noise(number))

    assert left(standin) == KEPT
    assert service.stored(hubot).admitted_at < turnable_clock.moment
    # Of the other organization nothing is short.
    assert service.stored(mona).admitted_at == turnable_clock.moment
    assert service.stored(mona).groups == ("acme", "acme/oncall", "acme/platform", "beta")
    assert caplog.text.count("1250 of the hour's 5000 questions about acme are left") == 1
    assert service.app.memberships.installations.hours.left["acme"] == KEPT
    assert "acme" in service.groups_at_sign_in("hubot").names
    standin.organization("Acme", members={"octocat": "active"})
    service.hear("organization", provider_events.organization("member_removed"))
    assert not service.is_alive(hubot)
    assert turnable_clock.moment > began


def test_in_the_next_hour_all_is_asked_again(service, standin, turnable_clock):
    hubot = service.sign_in(HUBOT)
    service.poll()
    spend(standin, KEPT)
    turnable_clock.advance(minutes=11)
    service.poll()
    turnable_clock.advance(minutes=61)
    standin.app(spent={})

    service.poll()

    assert service.stored(hubot).admitted_at == turnable_clock.moment


def test_an_event_asks_only_the_organization_that_it_names(make_service, standin):
    standin.organization("Beta", id=8, installation=80, members={"hubot": "active"})
    service = make_service("acme beta")
    hubot = service.sign_in(HUBOT)
    service.poll()
    before = len(standin.requests("/api/orgs/beta/memberships/hubot"))

    service.hear("membership", noise(1))

    assert len(standin.requests("/api/orgs/beta/memberships/hubot")) == before
    assert service.stored(hubot).groups == ("acme", "beta")
