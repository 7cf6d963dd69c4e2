"""The poll: members are confirmed, those who left are removed, faults do neither."""

import threading
from datetime import timedelta

import pytest
from sqlalchemy import update

from authservice.models import admission_state
from authservice.services.admission import confirmation, pins, poll_turns, state
from authservice.services.admission.decision import Pin
from authservice.services.revocation import removal
from tests.helpers.admission import pin
from tests.helpers.github_app import HUBOT, MONA

MEMBERS = "/api/orgs/acme/members"


def leave(standin, *logins):
    """Let these be the only members."""
    standin.organization("Acme", members=dict.fromkeys(logins, "active"))


def test_members_are_confirmed_as_of_the_beginning(service, turnable_clock):
    mona, hubot = service.sign_in(MONA), service.sign_in(HUBOT)

    assert service.poll()

    for session in (mona, hubot):
        person = service.stored(session)
        assert (person.admitted_at, person.admitted_by) == (turnable_clock.moment, "org:acme")
        assert confirmation.is_admitted(person, service.settings.admission, service.database.reader)


# Nothing can be read of Beta, which concerns nobody whom Acme admitted.
@pytest.mark.parametrize("organizations", ["acme", "acme beta"])
def test_whoever_left_is_removed_with_their_sessions(
    make_service, standin, turnable_clock, organizations
):
    service = make_service(organizations)
    mona, hubot = service.sign_in(MONA), service.sign_in(HUBOT)
    service.poll()
    leave(standin, "octocat")
    turnable_clock.advance(minutes=11)

    service.poll()

    assert service.is_alive(mona)
    assert not service.is_alive(hubot)
    assert service.stored(hubot).admitted_at is None
    assert service.removed() == {HUBOT}
    assert service.told


def test_whoever_is_only_missing_on_a_list_stays(service, standin, turnable_clock):
    hubot = service.sign_in(HUBOT)
    service.poll()
    standin.fault(MEMBERS, "no_entries")
    turnable_clock.advance(minutes=11)

    service.poll()

    assert service.is_alive(hubot)
    assert service.stored(hubot).admitted_at == turnable_clock.moment


def test_a_rule_about_a_number_goes_on_without_the_organization(
    make_service, standin, turnable_clock
):
    service = make_service("acme", ADMISSION_USERS=f"id:{HUBOT}")
    hubot = service.sign_in(HUBOT)
    service.poll()
    assert service.stored(hubot).admitted_by == f"id:{HUBOT}"

    leave(standin, "octocat")
    turnable_clock.advance(minutes=11)
    service.poll()

    assert service.is_alive(hubot)


def test_an_account_that_is_gone_is_removed(service, standin, turnable_clock):
    hubot = service.sign_in(HUBOT)
    service.poll()
    leave(standin, "octocat")
    standin.forget("account", "hubot")
    turnable_clock.advance(minutes=11)

    service.poll()

    assert not service.is_alive(hubot)


def test_a_rule_about_a_team_counts_child_teams(make_service, standin, turnable_clock):
    service = make_service("acme/platform")
    mona, hubot = service.sign_in(MONA), service.sign_in(HUBOT)
    service.poll()
    assert service.stored(mona).admitted_by == "team:acme/platform"
    assert service.stored(hubot).admitted_at is None

    standin.organization("Acme", teams={"oncall": {"members": {}}})
    turnable_clock.advance(minutes=11)
    service.poll()

    assert not service.is_alive(mona)


def test_a_person_whom_a_rule_about_addresses_admits_is_left_alone(
    make_service, standin, turnable_clock
):
    service = make_service(
        "acme",
        ADMISSION_EMAIL_DOMAINS="example.com",
    )
    by_address = {"admitted_at": turnable_clock.moment, "admitted_by": "domain:example.com"}
    stranger = service.sign_in("900001", **by_address)
    member = service.sign_in(HUBOT, **by_address)
    turnable_clock.advance(minutes=1)

    service.poll()
    assert service.stored(member).groups == ("acme",)
    leave(standin, "octocat")
    turnable_clock.advance(minutes=11)
    service.poll()

    assert service.is_alive(stranger)
    assert service.is_alive(member)
    assert service.stored(member).admitted_by == "domain:example.com"
    assert service.stored(member).groups == ()


def test_everyone_is_polled_every_ten_minutes_and_not_before(service, standin, turnable_clock):
    assert service.poll()
    assert not service.poll()
    turnable_clock.advance(minutes=9)
    assert not service.poll()
    turnable_clock.advance(minutes=1)

    assert service.poll()
    assert len(standin.requests(MEMBERS)) == 2


def test_what_did_not_change_is_not_sent_again(service, standin, turnable_clock):
    hubot = service.sign_in(HUBOT)
    service.poll()
    turnable_clock.advance(minutes=10)
    service.poll()

    tags = [request["headers"].get("If-None-Match") for request in standin.requests(MEMBERS)]
    assert tags[0] is None
    assert tags[1] is not None
    assert service.stored(hubot).admitted_at == turnable_clock.moment


def test_lists_have_pages_of_a_hundred(service, standin, turnable_clock):
    logins = [f"member-{number}" for number in range(250)]
    for number, login in enumerate(logins):
        standin.account(login, id=1000 + number)
    leave(standin, *logins, "hubot")
    hubot = service.sign_in(HUBOT)

    service.poll()

    pages = [request["query"] for request in standin.requests(MEMBERS)]
    assert pages == [{"per_page": "100", "page": str(page)} for page in (1, 2, 3)]
    assert service.stored(hubot).admitted_at == turnable_clock.moment


def test_who_comes_behind_a_full_page_is_seen_though_that_did_not_change(
    service, standin, turnable_clock
):
    logins = [f"member-{number}" for number in range(100)]
    for number, login in enumerate(logins):
        standin.account(login, id=1000 + number)
    leave(standin, *logins, "hubot")
    in_team = dict.fromkeys(logins, "active")
    standin.organization("Acme", teams={"platform": {"members": in_team}})
    hubot = service.sign_in(HUBOT)
    service.poll()
    standin.organization("Acme", teams={"platform": {"members": in_team | {"hubot": "active"}}})
    turnable_clock.advance(minutes=10)

    service.poll()

    assert service.stored(hubot).groups == ("acme", "acme/platform")


def test_a_list_that_shrank_by_more_than_a_tenth_is_read_again_without_conditions(
    subtests, make_service, standin, turnable_clock
):
    logins = [f"member-{number}" for number in range(60)]
    for number, login in enumerate(logins):
        standin.account(login, id=1000 + number)
    for before, after, again in (
        (6, 2, False),
        (6, 1, True),
        (50, 45, False),
        (50, 44, True),
        (60, 60, False),
        (1, 60, False),
    ):
        with subtests.test(before=before, after=after):
            leave(standin, *logins[:before])
            service = make_service()
            turnable_clock.advance(minutes=10)
            service.poll()
            asked = len(standin.requests(MEMBERS))
            leave(standin, *logins[:after])
            turnable_clock.advance(minutes=10)

            service.poll()

            conditions = [
                "If-None-Match" in request["headers"] for request in standin.requests(MEMBERS)
            ]
            assert conditions[asked:] == ([True, False] if again else [True])
            # What was read then is what the next one is compared with.
            turnable_clock.advance(minutes=10)
            service.poll()
            assert len(standin.requests(MEMBERS)) == len(conditions) + 1


def test_an_outage_confirms_nobody_removes_nobody_and_is_noted(
    subtests, make_service, standin, turnable_clock, caplog
):
    for kind in ("500", "reset", "rate_limited", "secondary_limit"):
        with subtests.test(kind=kind):
            caplog.clear()
            leave(standin, "octocat", "hubot")
            # Another one, which waits for the end of no rate limit.
            service = make_service()
            mona, hubot = service.sign_in(MONA), service.sign_in(HUBOT)
            turnable_clock.advance(minutes=10)
            service.poll()
            before = turnable_clock.moment
            leave(standin, "octocat")
            turnable_clock.advance(minutes=10)

            with standin.failing("/api/orgs/acme/teams", kind):
                assert not service.poll()

            for session in (mona, hubot):
                assert service.is_alive(session)
                assert service.stored(session).admitted_at == before
            assert state.outage_lasts(service.database.reader)
            # Each is warned of: the one before ended, though nobody was let off for it any more.
            assert caplog.text.count("the identity provider does not answer") == 1


def test_an_outage_is_noted_as_long_as_it_lasts_and_ends(service, standin, turnable_clock):
    standin.fault(MEMBERS, "500")
    for _ in range(20):
        service.poll()
        assert state.outage_lasts(service.database.reader)
        turnable_clock.advance(seconds=61)
    standin.repair(MEMBERS)

    assert service.poll()
    assert not state.outage_lasts(service.database.reader)


def test_an_answer_that_leads_elsewhere_is_no_outage(service, standin):
    standin.fault("/api/app/installations", "redirect")

    assert not service.poll()
    assert not state.outage_lasts(service.database.reader)


def test_a_removal_in_the_grace_of_an_outage_is_done_when_it_ends(service, standin, turnable_clock):
    hubot = service.sign_in(HUBOT)
    service.poll()
    standin.fault(MEMBERS, "500")
    leave(standin, "octocat")
    turnable_clock.advance(minutes=10)
    service.poll()
    standin.repair(MEMBERS)
    turnable_clock.advance(minutes=1)

    service.poll()

    assert not service.is_alive(hubot)


def test_an_organization_that_cannot_be_read_throws_nobody_out_and_confirms_nobody(
    subtests, make_service, standin, turnable_clock, caplog
):
    for change in (
        {"suspended": True},
        {"installation": None},
        {"login": "renamed", "installation": None},
    ):
        with subtests.test(change=change):
            caplog.clear()
            standin.organization("Acme", login="Acme", suspended=False, installation=70)
            service = make_service()
            mona = service.sign_in()
            turnable_clock.advance(minutes=10)
            service.poll()
            before = turnable_clock.moment
            standin.organization("Acme", **change)
            for _ in range(3):
                turnable_clock.advance(minutes=10)
                assert service.poll()

            person = service.stored(mona)
            assert service.is_alive(mona)
            assert person.admitted_at == before
            assert caplog.text.count("the members of acme cannot be read") == 1
            turnable_clock.advance(days=1)
            admission, reader = service.settings.admission, service.database.reader
            assert not confirmation.is_admitted(person, admission, reader)


def test_a_list_that_cannot_be_read_throws_nobody_out(subtests, service, standin, turnable_clock):
    for kind in ("forbidden", "404", "endless", "not_json"):
        with subtests.test(kind=kind):
            mona = service.sign_in()
            turnable_clock.advance(minutes=10)
            service.poll()
            turnable_clock.advance(minutes=10)

            with standin.failing(MEMBERS, kind):
                assert service.poll()

            assert service.is_alive(mona)


def test_a_deleted_team_throws_nobody_out_at_once(make_service, standin, turnable_clock, caplog):
    service = make_service("acme/platform")
    mona = service.sign_in()
    service.poll()
    before = turnable_clock.moment
    standin.forget("team", "Acme/oncall")
    standin.forget("team", "Acme/platform")
    turnable_clock.advance(minutes=10)

    service.poll()

    assert service.is_alive(mona)
    assert service.stored(mona).admitted_at == before
    assert "the members of acme/platform cannot be read (gone)" in caplog.text


@pytest.mark.parametrize("organizations", ["acme", "acme/platform"])
def test_a_renamed_team_and_a_renamed_organization_admit_as_before(
    make_service, standin, turnable_clock, organizations
):
    service = make_service(organizations)
    mona = service.sign_in()
    service.poll()
    standin.organization("Acme", login="acme-inc", teams={"platform": {"slug": "base"}})
    standin.organization("Acme", teams={"oncall": {"parent": "base"}})
    service.app.memberships.installations.forget()
    turnable_clock.advance(minutes=10)

    service.poll()

    assert service.stored(mona).admitted_at == turnable_clock.moment
    assert {"acme", "acme/oncall"} <= {*service.stored(mona).groups}


@pytest.mark.attack("ADMISSION-freed-name")
def test_a_stranger_with_the_name_lets_nobody_in(make_service, standin, turnable_clock):
    service = make_service("acme", ADMISSION_USERS="id:900001")
    service.poll()
    standin.organization("Acme", login="acme-inc", members={"octocat": "active"})
    standin.organization("stranger", login="acme", id=666, installation=666)
    standin.organization("stranger", members={"newcomer": "active", "hubot": "active"})
    service.app.memberships.installations.forget()
    newcomer, hubot = service.sign_in("900001"), service.sign_in(HUBOT)
    turnable_clock.advance(minutes=10)

    service.poll()

    assert service.stored(newcomer).admitted_by == "id:900001"
    assert service.stored(newcomer).groups == ()
    assert service.stored(hubot).admitted_at is None
    assert pins.all_pins(service.database.reader)["org:acme"] == Pin("7", "666")


@pytest.mark.attack("ADMISSION-first-comer")
def test_a_team_gets_its_number_in_the_organization_that_is_meant(make_service, standin):
    service = make_service("acme/platform acme/later")
    pin(service.database, {"org:acme": "7"})
    standin.organization("Acme", login="acme-labs")
    teams = {"platform": {"id": 661, "members": {"hubot": "active"}}}
    standin.organization("stranger", login="acme", id=666, installation=666, teams=teams)
    mona, hubot = service.sign_in(MONA), service.sign_in(HUBOT)

    service.poll()

    # The name leads to a stranger's by now, so it admits nobody; but it never meant that one.
    assert pins.all_pins(service.database.reader)["team:acme/platform"] == Pin("71", "661")
    assert service.stored(mona).admitted_by is None
    assert service.stored(hubot).admitted_by is None


def test_a_removal_while_the_lists_are_read_counts_more(service, turnable_clock):
    hubot = service.sign_in(HUBOT)
    with service.database.begin() as transaction:
        removal.remove(transaction, HUBOT, turnable_clock.moment, provider_id="github")

    service.poll()

    assert service.stored(hubot).admitted_at is None


def test_other_rules_confirm_nobody(service):
    hubot = service.sign_in(HUBOT)
    with service.database.transaction() as connection:
        connection.execute(update(admission_state).values(rules="others"))

    service.poll()

    assert service.stored(hubot).admitted_at is None


def test_one_process_polls_at_a_time(make_service):
    service, other = make_service(), make_service()
    turn = poll_turns.take(service.database)

    assert not other.poll()
    turn.end(timedelta(0))
    assert other.poll()


def test_a_process_that_died_stops_no_other(make_service, turnable_clock):
    service, other = make_service(), make_service()
    assert poll_turns.take(service.database) is not None
    turnable_clock.advance(minutes=10)

    assert other.poll()


def test_a_turn_that_was_lost_is_over(make_service, turnable_clock):
    service = make_service()
    turn = poll_turns.take(service.database)
    turnable_clock.advance(minutes=10)
    assert poll_turns.take(service.database) is not None

    assert not turn.go_on()
    turn.end(timedelta(0))
    turnable_clock.advance(minutes=1)
    assert poll_turns.take(service.database) is None


def test_a_turn_goes_on_while_there_is_work(service, turnable_clock):
    turn = poll_turns.take(service.database)
    for _ in range(10):
        turnable_clock.advance(seconds=61)
        assert turn.go_on()

    assert poll_turns.take(service.database) is None


def test_whoever_asks_for_the_lists_meanwhile_gets_them_once_more(service):
    turn = poll_turns.take(service.database)
    with service.database.transaction() as connection:
        poll_turns.ask_for_one(connection)
    assert poll_turns.take(service.database) is None
    turn.end()

    assert poll_turns.take(service.database) is not None


def test_new_rules_are_asked_about_at_once(make_service, turnable_clock):
    make_service().poll()
    other = make_service("acme/platform")

    assert other.poll()


def test_a_process_that_ends_leaves_its_turn_to_another(service, standin):
    ended = threading.Event()
    ended.set()
    service.app.poll.look(ended)

    assert standin.requests(MEMBERS) == []
    assert service.poll()
