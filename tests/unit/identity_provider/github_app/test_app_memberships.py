"""The groups of one person, as the App sees them."""

import pytest

from authservice.identity_provider import SignInFailedError
from authservice.identity_provider.github_app import poll
from authservice.services.people.memberships import Group, Memberships
from tests.helpers.github_app import HUBOT, MONA

ACME = Group("acme", "7")
PLATFORM, ONCALL = Group("acme/platform", "71"), Group("acme/oncall", "72")
TOKEN = "/api/app/installations/70/access_tokens"
MEMBERSHIP = "/api/orgs/acme/memberships/octocat"


def test_a_member_of_a_child_team_is_one_of_its_parent(subtests, make_service, standin):
    # Of the App alone, the teams of rules are asked for.
    for rules, child in (("acme/platform", {PLATFORM}), ("acme/oncall", {PLATFORM, ONCALL})):
        with subtests.test(rules=rules):
            service = make_service(rules)

            groups, asked = service.groups_at_sign_in(), service.groups()

            assert groups.organizations == asked.organizations == (ACME,)
            assert (set(groups.teams), groups.unreadable) == ({PLATFORM, ONCALL}, ())
            assert (set(asked.teams), asked.unreadable) == (child, ())


def test_who_is_in_no_team_of_a_rule_is_in_none_below_it(make_service):
    groups = make_service("acme/platform").groups(HUBOT, "hubot")

    assert (groups.teams, groups.unasked) == ((), ())


def test_of_teams_that_nobody_asks_for_nothing_is_known(service):
    assert set(service.groups(HUBOT, "hubot").unasked) == {PLATFORM, ONCALL}


def test_more_teams_take_no_more_questions(subtests, make_service, standin):
    service = make_service("acme acme/platform")
    service.poll()

    def questions(login):
        before = len(standin.requests())
        assert ACME in service.groups_at_sign_in(login).organizations
        return len(standin.requests()) - before

    for fault in (None, "forbidden"):
        for login in ("octocat", "hubot"):
            with subtests.test(fault=fault, login=login):
                if fault:
                    standin.fault("/api/user/teams", fault)
                standin.organization("Acme", teams={f"a{n}": {"members": {}} for n in range(90)})
                few = questions(login)
                standin.organization(
                    "Acme", teams={f"b{n}": {"members": {}, "id": 5000 + n} for n in range(260)}
                )

                # The list of teams has a page more for each hundred.
                assert questions(login) <= few + 3
                for number in range(260):
                    standin.forget("team", f"Acme/b{number}")


def test_of_an_organization_with_single_sign_on_the_app_asks_itself(make_service, standin):
    service = make_service("acme/platform")
    standin.organization("Acme", saml=True)

    assert PLATFORM in service.groups_at_sign_in().teams


def test_a_list_that_is_too_long_hides_no_team(make_service, standin):
    member = {"members": {"octocat": "active"}}
    standin.organization("Acme", teams={f"a{n}": {"id": 9000 + n, **member} for n in range(1000)})
    standin.organization("Acme", teams={"zulu": {"id": 2000, **member}})

    groups = make_service("acme/zulu").groups_at_sign_in()

    assert Group("acme/zulu", "2000") in groups.teams


def test_a_team_that_has_another_parent_by_now_is_where_it_is(
    make_service, standin, turnable_clock
):
    service = make_service("acme/platform")
    assert PLATFORM in service.groups_at_sign_in().teams

    standin.organization("Acme", teams={"oncall": {"parent": None}})

    assert set(service.groups_at_sign_in().teams) == {ONCALL}


def test_a_parent_of_a_parent_is_one_too_and_not_for_long_if_it_changes(
    service, standin, turnable_clock
):
    below = {"id": 73, "parent": "oncall", "members": {"hubot": "active"}}
    standin.organization("Acme", teams={"pager": below})
    assert {PLATFORM, ONCALL} < set(service.groups_at_sign_in("hubot").teams)

    standin.organization("Acme", teams={"oncall": {"parent": None}})
    turnable_clock.advance(minutes=5)

    assert PLATFORM not in service.groups_at_sign_in("hubot").teams


def test_a_stranger_is_in_nothing(service):
    groups = service.groups("900001", "newcomer")

    assert (groups.organizations, groups.teams, groups.unreadable) == ((), (), ())


def test_an_invitation_is_no_membership(subtests, service, standin):
    for state in ("pending", "inactive"):
        with subtests.test(state=state):
            standin.organization("Acme", members={"octocat": state})

            assert service.groups().organizations == ()


def test_a_login_that_another_person_has_by_now_is_no_membership(service):
    assert service.groups(HUBOT, "octocat").organizations == ()


def test_the_lists_and_the_question_say_the_same(service, standin):
    source = service.app.memberships
    read = poll.read_directory(source, source.installations.calls(60), lambda: None)

    for number, login in ((MONA, "octocat"), (HUBOT, "hubot"), ("900001", "newcomer")):
        listed, own = read.of(number), service.groups_at_sign_in(login)
        assert set(listed.names) == set(own.names)
        assert listed.numbers == own.numbers


def test_a_token_is_made_once_and_again_shortly_before_its_end(service, standin, turnable_clock):
    service.groups()
    service.groups(HUBOT, "hubot")
    assert len(standin.requests(TOKEN)) == 1

    turnable_clock.advance(minutes=58)
    service.groups()

    assert len(standin.requests(TOKEN)) == 2


def test_a_token_that_was_taken_back_is_made_again(service, standin):
    service.groups()
    standin.advance(3700)
    assert service.groups().unreadable == (("acme", "token_refused"),)
    standin.advance(-3700)

    assert service.groups().organizations == (ACME,)
    assert len(standin.requests(TOKEN)) == 2


def test_no_token_is_in_the_log(service, caplog):
    caplog.set_level("DEBUG")

    service.groups()

    assert "ghs_" not in caplog.text
    assert "eyJ" not in caplog.text


def test_where_the_app_is_not_installed_nothing_is_known(make_service, standin):
    standin.organization("other", id=8)
    groups = make_service("acme other").groups()

    assert groups.organizations == (ACME,)
    assert groups.unreadable == (("other", "not_installed"),)


def test_an_organization_that_lets_the_app_ask_no_more_says_why(subtests, make_service, standin):
    for changes, reason in (
        ({"suspended": True}, "suspended"),
        ({"installation": None}, "not_installed"),
    ):
        with subtests.test(reason=reason):
            standin.organization("Acme", **({"suspended": False, "installation": 70} | changes))

            assert make_service().groups().unreadable == (("acme", reason),)


def test_a_permission_that_is_missing_is_named(service, standin):
    standin.app(permissions={"emails": "read"})

    assert service.groups().unreadable == (("acme", "forbidden"),)


def test_a_key_that_the_provider_does_not_know_is_no_outage(service, standin):
    standin.app(id=1, client_id="another")

    assert service.groups().unreadable == (("acme", "app_refused"),)


def test_a_provider_that_does_not_answer_is_an_outage(subtests, make_service, standin):
    for kind in ("500", "slow", "reset", "rate_limited", "secondary_limit"):
        with subtests.test(kind=kind), standin.failing(MEMBERSHIP, kind):
            source = make_service().app.memberships
            calls = source.installations.calls(1.0 if kind == "slow" else 10)

            with pytest.raises(SignInFailedError) as raised:
                source.of_person(calls, MONA, "octocat")

            assert raised.value.code == "provider_unavailable"


def test_after_a_rate_limit_nothing_is_asked_before_its_end(service, standin):
    with standin.failing(MEMBERSHIP, "secondary_limit"), pytest.raises(SignInFailedError):
        service.groups()
    sent = len(standin.requests())

    with pytest.raises(SignInFailedError) as raised:
        service.groups()

    assert 0 < raised.value.retry_after <= 60
    assert len(standin.requests()) == sent


def test_teams_that_cannot_be_read_concern_no_organization(subtests, make_service, standin):
    for kind in ("not_json", "text", "404", "endless", "redirect", "forbidden"):
        with subtests.test(kind=kind), standin.failing("/api/orgs/acme/teams", kind):
            groups = make_service("acme acme/platform").groups()

            assert groups.organizations == (ACME,)
            assert groups.teams == ()
            assert groups.unreadable[0][0] == "acme"


def test_a_team_that_is_gone_is_unreadable_alone(make_service, standin):
    service = make_service("acme/platform acme/gone")

    groups = service.groups()

    assert PLATFORM in groups.teams
    assert groups.unreadable == (("acme/gone", "gone"),)


def test_an_organization_is_found_by_its_pinned_number_whatever_its_name(service, standin):
    service.poll()
    standin.organization("Acme", login="acme-inc")
    service.app.memberships.installations.forget()

    assert service.groups().organizations == (Group("acme-inc", "7"),)


def test_a_strangers_organization_of_that_name_says_nothing_of_the_pinned_one(service, standin):
    service.poll()
    standin.organization("Acme", login="acme-inc", installation=None)
    standin.organization("stranger", login="acme", id=666, installation=666)
    service.app.memberships.installations.forget()

    assert ("acme", "not_installed") in service.groups().unreadable


def test_a_no_does_not_count_of_an_app_that_may_not_ask_any_more(subtests, service, standin):
    for changes, reason in (
        ({"installation": None}, "not_installed"),
        ({"suspended": True}, "suspended"),
    ):
        with subtests.test(reason=reason):
            standin.organization("Acme", installation=70)
            service.app.memberships.installations.forget()
            service.groups()
            standin.organization("Acme", **changes)

            assert service.groups("900001", "newcomer").unreadable == (("acme", "gone"),)
            assert service.groups("900001", "newcomer").unreadable == (("acme", reason),)


def test_a_yes_of_a_strangers_organization_that_just_took_the_name_does_not_count(service, standin):
    service.groups()
    with standin.failing("/api/app/installations", "500"):
        standin.organization("Acme", id=666)

        assert service.groups() == Memberships((), (), (("acme", "gone"),))


def test_the_team_of_a_rule_is_asked_for_whatever_others_there_are(subtests, make_service, standin):
    others = {f"a{number}": {"id": 1000 + number} for number in range(200)}
    standin.organization("Acme", teams=others)
    of_rule = {"id": 2000, "parent": "platform", "members": {"octocat": "active"}}
    standin.organization("Acme", teams={"zulu": of_rule})
    standin.organization("Acme", teams={"oncall": {"members": {}}})

    for rules in ("acme/zulu", " ".join(f"acme/{name}" for name in (*others, "zulu"))):
        with subtests.test(rules=rules[:12]):
            assert Group("acme/zulu", "2000") in make_service(rules).groups().teams


def test_what_did_not_change_is_not_sent_again(service, standin):
    service.groups()
    service.groups()

    first, second = standin.requests("/api/orgs/acme/teams")
    assert "If-None-Match" not in first["headers"]
    assert second["headers"]["If-None-Match"].startswith('W/"')
