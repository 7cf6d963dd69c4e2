"""Acting upon events: the provider's answer counts, and the event alone only in an outage."""

import itertools
from contextlib import nullcontext
from dataclasses import asdict
from datetime import timedelta

import pytest
from sqlalchemy import select

from authservice import clock
from authservice.identity_provider.github_app.provider_events import Hint
from authservice.models import admission_state, provider_event, removed_account, session
from authservice.services.admission import stored_events
from tests.helpers import earlier_rows, provider_events
from tests.helpers.github_app import HUBOT, MONA
from tests.helpers.granted import give_access

MONA_AS_GITHUB_SAYS = {"login": "octocat", "id": int(MONA)}
MEMBERSHIP = "/api/orgs/acme/memberships/hubot"
PERSON = f"/api/user/{HUBOT}"


@pytest.fixture
def hubot(service):
    """Hubot is signed in and admitted by the organization."""
    session = service.sign_in(HUBOT)
    service.poll()
    return session


def admitted(service, turnable_clock, account_id=HUBOT):
    """Sign in, and have the organization admit the person just now."""
    session = service.sign_in(account_id)
    turnable_clock.advance(minutes=10)
    service.poll()
    return session


def leave(standin):
    standin.organization("Acme", members={"octocat": "active"})


@pytest.mark.attack("ADMISSION-left")
def test_whoever_left_is_removed(service, standin, hubot):
    leave(standin)

    service.hear("organization", provider_events.organization("member_removed"))

    assert not service.is_alive(hubot)
    assert service.removed() == {HUBOT}
    assert service.told == ["clients"]


def test_whoever_left_one_organization_is_removed_though_another_cannot_be_read(
    make_service, standin
):
    service = make_service("acme beta")
    hubot = service.sign_in(HUBOT)
    service.poll()
    leave(standin)

    service.hear("organization", provider_events.organization("member_removed"))

    assert not service.is_alive(hubot)


def test_a_member_whom_a_rule_about_addresses_admits_keeps_that_rule(
    make_service, standin, turnable_clock
):
    service = make_service("acme", ADMISSION_EMAIL_DOMAINS="example.com")
    by_address = {"admitted_at": turnable_clock.moment, "admitted_by": "domain:example.com"}
    hubot = service.sign_in(HUBOT, **by_address)

    service.hear("organization", provider_events.organization("member_added"))
    leave(standin)
    service.hear("organization", provider_events.organization("member_removed"))

    assert service.is_alive(hubot)
    assert service.stored(hubot).admitted_by == "domain:example.com"


def test_an_account_that_only_its_own_organization_is_shown_is_not_gone(make_service, standin):
    # Acme is asked first, as it was installed before.
    leave(standin)
    members = {"hubot": "active"}
    standin.organization("Beta", id=8, installation=80, members=members)
    standin.account("hubot", managed_by="Beta")
    service = make_service("acme beta")
    hubot = service.sign_in(HUBOT)
    service.poll()
    said = {"organization": {"login": "Beta", "id": 8}}

    service.hear("organization", provider_events.organization("member_added") | said)
    assert service.is_alive(hubot)
    # Acme saw somebody it takes for a member.
    service.hear("organization", provider_events.organization("member_added"))
    assert service.is_alive(hubot)

    standin.forget("account", "hubot")
    service.hear("organization", provider_events.organization("member_removed") | said)
    assert not service.is_alive(hubot)


@pytest.mark.attack("ADMISSION-event-of-another-name")
def test_an_event_about_somebody_who_is_still_there_removes_nobody(service, hubot):
    for event, content in (
        ("organization", provider_events.organization("member_removed")),
        ("membership", provider_events.membership("removed")),
        ("org_block", provider_events.org_block("blocked")),
    ):
        service.hear(event, content)

    assert service.is_alive(hubot)
    assert service.removed() == set()


def test_a_person_who_is_signing_in_just_now_is_written_down(service, standin):
    service.poll()
    leave(standin)

    service.hear("organization", provider_events.organization("member_removed"))

    assert service.removed() == {HUBOT}


def test_the_login_of_an_old_event_is_not_believed(service, standin, hubot):
    standin.organization("Acme", members={"octocat": "active", "hubot-now": "active"})
    standin.account("hubot-now", id=int(HUBOT))
    standin.forget("account", "hubot")

    service.hear("organization", provider_events.organization("member_removed"))

    assert service.is_alive(hubot)


def test_who_joined_again_is_confirmed_at_once(service, standin, hubot, turnable_clock):
    turnable_clock.advance(minutes=3)

    service.hear("organization", provider_events.organization("member_added"))

    assert service.stored(hubot).admitted_at == turnable_clock.moment


@pytest.mark.attack("ADMISSION-events-reordered")
def test_the_order_of_events_does_not_matter(subtests, service, standin, turnable_clock):
    for last, first in itertools.permutations(("member_removed", "member_added")):
        with subtests.test(last=last):
            standin.organization("Acme", members={"octocat": "active", "hubot": "active"})
            hubot = admitted(service, turnable_clock)
            leave(standin)
            for action in (first, last):
                service.hear("organization", provider_events.organization(action))

            assert not service.is_alive(hubot)


def test_a_removal_counts_itself_while_the_provider_does_not_answer(
    subtests, make_service, standin, turnable_clock
):
    for (event, content), kind in itertools.product(
        (
            ("organization", provider_events.organization("member_removed")),
            ("org_block", provider_events.org_block("blocked")),
        ),
        ("500", "reset", "rate_limited"),
    ):
        with subtests.test(event=event, kind=kind):
            # Another one, which waits for the end of no rate limit.
            service = make_service()
            hubot = admitted(service, turnable_clock)

            with standin.failing(PERSON, kind):
                service.hear(event, content)

            assert not service.is_alive(hubot)


def test_a_provider_that_takes_too_long_does_not_answer(service, standin, hubot):
    standin.fault(MEMBERSHIP, "slow")

    service.hear("organization", provider_events.organization("member_removed"), patience=4.0)

    assert not service.is_alive(hubot)


def test_other_events_do_nothing_while_it_does_not_answer(
    subtests, service, standin, turnable_clock
):
    for event, content in (
        ("organization", provider_events.organization("member_added")),
        ("membership", provider_events.membership("added")),
        # The organization admitted the person, and no team.
        ("membership", provider_events.membership("removed")),
        ("org_block", provider_events.org_block("unblocked")),
    ):
        with subtests.test(event=event, action=content["action"]):
            hubot = admitted(service, turnable_clock)
            before = turnable_clock.moment
            turnable_clock.advance(minutes=1)

            with standin.failing(PERSON, "500"):
                service.hear(event, content)

            assert service.is_alive(hubot)
            assert service.stored(hubot).admitted_at == before


@pytest.mark.attack("ADMISSION-event-replayed")
def test_an_event_that_is_replayed_in_an_outage_removes_nobody(
    service, standin, hubot, turnable_clock
):
    content = provider_events.organization("member_removed")
    service.hear("organization", content)
    standin.fault(PERSON, "500")
    turnable_clock.advance(days=6)

    service.hear("organization", content, again=True)

    assert service.is_alive(hubot)


def test_the_same_body_is_asked_about_again(service, standin, hubot):
    content = provider_events.organization("member_removed")
    service.hear("organization", content)
    leave(standin)

    service.hear("organization", content, again=True)

    assert not service.is_alive(hubot)


def test_in_an_outage_a_removal_from_the_team_of_the_rule_counts(
    subtests, make_service, standin, turnable_clock
):
    service = make_service("acme/platform")
    for of_team, stays in (
        ({}, False),
        ({"team": 99}, True),
        ({"team": 72, "parent": {"id": 71, "slug": "platform"}}, False),
    ):
        with subtests.test(of_team=of_team):
            mona = admitted(service, turnable_clock, MONA)

            with standin.failing(f"/api/user/{MONA}", "500"):
                content = provider_events.membership("removed", MONA_AS_GITHUB_SAYS, **of_team)
                service.hear("membership", content)

            assert service.is_alive(mona) is stays


def test_in_an_outage_a_renamed_organization_counts_by_its_number(
    make_service, standin, turnable_clock
):
    service = make_service("acme/platform")
    mona = admitted(service, turnable_clock, MONA)
    content = provider_events.organization("member_removed", MONA_AS_GITHUB_SAYS)
    content["organization"] = {"login": "acme-inc", "id": 7}
    standin.fault(f"/api/user/{MONA}", "500")

    service.hear("organization", content)

    assert not service.is_alive(mona)


def test_in_an_outage_a_removal_from_another_organization_does_not_count(make_service, standin):
    standin.organization("other", id=8, installation=80, members={"hubot": "active"})
    service = make_service("other acme")
    standin.organization("Acme", members={})
    hubot = service.sign_in(HUBOT)
    service.poll()
    assert service.stored(hubot).admitted_by == "org:other"
    standin.fault(PERSON, "500")

    service.hear("organization", provider_events.organization("member_removed"))

    assert service.is_alive(hubot)


def test_an_organization_that_cannot_be_read_is_no_answer_and_no_outage(service, standin, hubot):
    standin.organization("Acme", suspended=True)
    service.app.memberships.installations.forget()

    service.hear("organization", provider_events.organization("member_removed"))

    assert service.is_alive(hubot)


def test_a_withdrawn_authorization_signs_the_person_out(service, hubot):
    service.hear("github_app_authorization", provider_events.revoked())

    assert not service.is_alive(hubot)


@pytest.mark.attack("ADMISSION-event-replayed")
def test_a_withdrawal_that_is_replayed_counts_after_a_sign_in_five_times_a_day(
    subtests, service, turnable_clock
):
    service.hear("github_app_authorization", provider_events.revoked())
    for number, counts in enumerate([True] * 4 + [False] * 2):
        with subtests.test(number=number):
            turnable_clock.advance(minutes=10)
            hubot = service.sign_in(HUBOT)
            turnable_clock.advance(minutes=10)
            service.hear("github_app_authorization", provider_events.revoked(), again=True)
            assert service.is_alive(hubot) is not counts
            # Then the provider is asked, and says that the person is a member.
            service.hear("github_app_authorization", provider_events.revoked(), again=True)
            assert service.is_alive(hubot) is not counts

    turnable_clock.advance(days=1)
    service.hear("github_app_authorization", provider_events.revoked(), again=True)
    assert not service.is_alive(hubot)


def test_a_withdrawal_counts_again_for_tokens_without_a_session(service, turnable_clock):
    service.hear("github_app_authorization", provider_events.revoked())
    turnable_clock.advance(minutes=10)
    hubot = service.sign_in(HUBOT)
    client = {"id": "c", "client_id": "reader", "redirect_uris": "[]"}
    grant = {"client_id": "reader", "user_id": hubot.user.id, "session_id": None}
    with service.database.transaction() as connection:
        earlier_rows.insert(connection, "oauth_client", client)
        give_access(connection, "token", clock.now() + timedelta(hours=1), **grant)
        connection.execute(session.delete())

    service.hear("github_app_authorization", provider_events.revoked(), again=True)

    removed_at = service.database.reader.scalar(select(removed_account.c.removed_at))
    assert removed_at == turnable_clock.moment


def test_what_is_about_no_person_has_the_lists_read_at_once(subtests, service, standin):
    for event, content in (
        ("team", provider_events.team("deleted")),
        ("organization", provider_events.organization("renamed")),
        ("installation", provider_events.installation("deleted")),
    ):
        with subtests.test(event=event):
            service.poll()
            service.told.clear()

            service.hear(event, content)

            assert service.told == ["lists"]
            before = len(standin.requests("/api/app/installations"))
            assert service.poll()
            # What was known of installations may be over.
            assert len(standin.requests("/api/app/installations")) == before + 1


@pytest.mark.attack("ADMISSION-event-of-a-stranger")
def test_an_event_of_another_organization_is_ignored(subtests, service, standin, hubot):
    leave(standin)
    polled_at = select(admission_state.c.poll_at)
    before = service.database.reader.scalar(polled_at)
    theirs = {"organization": {"login": "Acme", "id": 666}}
    installed = provider_events.installation("created")
    installed["installation"]["account"] = theirs["organization"]
    for event, content in (
        ("organization", provider_events.organization("member_removed") | theirs),
        ("organization", provider_events.organization("renamed") | theirs),
        ("membership", provider_events.membership("removed") | theirs),
        ("team", provider_events.team("deleted") | theirs),
        ("org_block", provider_events.org_block("blocked") | theirs),
        ("installation", installed),
        ("push", {"ref": "refs/heads/main"}),
    ):
        for provider in (nullcontext(), standin.failing(PERSON, "500")):
            with subtests.test(event=event, provider=provider), provider:
                service.hear(event, content)

                assert service.is_alive(hubot)
                assert service.told == []
                assert service.database.reader.scalar(select(provider_event.c.id)) is None
                assert service.database.reader.scalar(polled_at) == before


def stored(service):
    """Return what is known of each event: when it is due, and what is to be done."""
    columns = select(provider_event.c.due_at, provider_event.c.hint)
    of_events = columns.where(~provider_event.c.id.contains(" asked "))
    return [tuple(row) for row in service.database.reader.execute(of_events)]


def test_when_all_is_done_nothing_is_known_of_the_person(service, standin, hubot):
    for kind in ("404", "500"):
        with standin.failing(PERSON, kind):
            service.hear("organization", provider_events.organization("member_removed"))

    assert stored(service) == [(None, None)] * 2
    everything = [tuple(row) for row in service.database.reader.execute(select(provider_event))]
    assert HUBOT not in str(everything)


def test_an_event_that_comes_while_the_process_ends_is_left_to_the_next_one(
    service, standin, hubot
):
    service.hear_while_ending("organization", provider_events.organization("member_removed"))
    ((_, hint),) = stored(service)
    assert hint == asdict(Hint(organization="7", account_id=HUBOT, leaves=True))

    with standin.failing(PERSON, "500"):
        service.look()

    # As if it had come just now, it counts itself.
    assert not service.is_alive(hubot)


def test_another_process_acts_upon_an_event_when_that_which_took_it_has_died(
    service, standin, hubot, turnable_clock
):
    leave(standin)
    hint = asdict(Hint(organization="7", account_id=HUBOT, leaves=True))
    with service.database.transaction() as connection:
        stored_events.store(connection, "a body", first=hint, again=hint)
    # The process begins, and dies.
    stored_events.claim(service.database)
    service.look()
    assert service.is_alive(hubot)

    turnable_clock.advance(seconds=30)
    service.look()

    assert not service.is_alive(hubot)
    assert stored(service) == [(None, None)]


def test_many_events_that_wait_are_all_acted_upon(service, standin, turnable_clock):
    service.poll()
    standin.organization("Acme", members={})
    numbers = [str(number) for number in range(700, 720)]
    with service.database.transaction() as connection:
        for number in numbers:
            hint = asdict(Hint(organization="7", account_id=number, leaves=True))
            stored_events.store(connection, f"body {number}", first=hint, again=hint)

    service.look()

    assert service.removed() == set(numbers)


def test_an_event_waits_while_the_database_refuses(service, turnable_clock, caplog):
    refused = {"account_id": {"no": "number"}, "revoked": True}
    with service.database.transaction() as connection:
        stored_events.store(connection, "a body", first=refused, again=refused)

    service.look()

    ((due_at, hint),) = stored(service)
    assert (due_at - turnable_clock.moment, hint) == (stored_events.LEASE, refused)
    assert "events of the provider wait: " in caplog.text


def test_what_an_event_says_that_this_version_does_not_know_stops_no_other(service, standin, hubot):
    leave(standin)
    with service.database.transaction() as connection:
        unknown = {"of_a_later_version": True}
        stored_events.store(connection, "a body", first=unknown, again=unknown)

    service.hear("organization", provider_events.organization("member_removed"))

    assert not service.is_alive(hubot)
    assert stored(service) == [(None, None)] * 2
