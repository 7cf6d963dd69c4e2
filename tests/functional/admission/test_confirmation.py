"""Leaving means leaving: what an organization decided is confirmed again, without a click."""

import itertools
from datetime import timedelta

import pytest
from sqlalchemy import select

from authservice import clock
from authservice.events import AdmissionEnded, SignInRefused
from authservice.models import session, user
from authservice.services.admission import state
from authservice.services.revocation import removal
from tests.helpers.admission import NAVIGATION, Gate, pin
from tests.helpers.production import production_browser
from tests.helpers.relying_party import RelyingParty

DAY = timedelta(days=1)
ORGANIZATION = {"admission__organizations": "acme"}


@pytest.fixture
def gate(make_app, monkeypatch, standin):
    standin.organization("acme", id=7, members={"octocat": "active", "hubot": "active"})
    return Gate(make_app, monkeypatch, standin)


@pytest.fixture
def app(gate):
    return gate.serves(**ORGANIZATION)


@pytest.fixture
def mona(gate, app, turnable_clock):
    """A member who has signed in, and whose confirmation is due by now."""
    person, _ = gate.come(app)
    assert person.session() is not None
    turnable_clock.advance(days=1, seconds=1)
    return person


def rows(database):
    return database.reader.execute(
        select(session.c.id, session.c.token, session.c.created_at)
    ).all()


def cookies(person):
    return {cookie.name: cookie.value for cookie in person.cookiejar}


def go(person, address):
    return person.get(address, headers=NAVIGATION, expect_errors=True)


@pytest.mark.story("get_session")
def test_a_session_whose_person_is_to_be_confirmed_is_null_and_keeps_its_cookies(mona):
    before = cookies(mona)

    answer = mona.get("/api/auth/get-session")

    assert answer.json is None
    assert "Set-Cookie" not in answer.headers
    assert cookies(mona) == before


@pytest.mark.parametrize(
    ("path", "status"),
    [("token", 401), ("list-sessions", 401), ("oauth2/get-consents", 401)],
)
def test_every_other_question_is_answered_as_to_somebody_signed_out(mona, path, status):
    assert mona.get(f"/api/auth/{path}", expect_errors=True).status_int == status


def test_it_counts_until_the_day_is_over(gate, app, turnable_clock):
    person, _ = gate.come(app)
    turnable_clock.advance(days=1)

    assert person.session() is not None


@pytest.mark.story("sign_in")
def test_a_page_leads_through_the_provider_without_a_click_and_the_session_stays(
    mona, gate, database
):
    before, kept = rows(database), cookies(mona)

    leaving = go(mona, "/sign-in?callbackURL=/account")
    assert leaving.location.startswith(gate.standin.authorize_url)
    assert "prompt=" not in leaving.location
    answer = gate.back(mona, leaving)

    assert answer.request.path == "/account"
    assert answer.status_int == 200
    assert rows(database) == before
    assert {name: kept[name] for name in kept if "session" in name} == {
        name: value for name, value in cookies(mona).items() if "session" in name
    }
    assert mona.session()["user"]["name"] == "Mona Lisa"


@pytest.mark.story("landing")
def test_the_start_page_confirms_too(mona, gate):
    answer = gate.back(mona, go(mona, "/"))

    assert answer.request.path == "/"
    assert "Mona Lisa" in answer.html.main.text


@pytest.mark.story("sign_in.begin")
def test_a_sign_in_of_an_application_confirms_the_session_that_is_there(mona, gate, database):
    before = rows(database)

    answer = gate.back(mona, go(mona, "/api/auth/sign-in/begin?callbackURL=/account"))

    assert answer.status_int == 200
    assert rows(database) == before


@pytest.mark.story("oauth2.authorize")
def test_authorize_leads_through_the_provider_without_a_click(mona, app, gate, database):
    party = RelyingParty.registered(app, database, skip_consent=True)

    to_sign_in = mona.get(
        "/api/auth/oauth2/authorize",
        party.request(),
        headers=NAVIGATION | {"Sec-Fetch-Site": "cross-site"},
    )
    leaving = mona.visit(to_sign_in.location, headers=NAVIGATION | {"Sec-Fetch-Site": "cross-site"})
    answer = gate.back(mona, leaving)

    assert party.redeem(party.answer(answer)["code"]).status_int == 200


def test_prompt_none_gets_login_required(mona, app, database):
    party = RelyingParty.registered(app, database, skip_consent=True)

    answer = party.answer(party.authorize(mona, prompt="none"))

    assert answer["error"] == "login_required"


@pytest.mark.parametrize("parameters", [{"prompt": "login"}, {"max_age": "10"}])
def test_who_has_to_show_that_they_are_there_has_to_click(mona, app, database, parameters):
    party = RelyingParty.registered(app, database, skip_consent=True)

    answer = mona.follow_home(party.authorize(mona, **parameters))

    assert answer.status_int == 200
    assert answer.forms[0].action == "/sign-in"


@pytest.mark.parametrize(
    "headers",
    [
        NAVIGATION | {"Sec-Fetch-Site": "cross-site"},
        NAVIGATION | {"Sec-Fetch-Dest": "iframe"},
        NAVIGATION | {"Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"},
        NAVIGATION | {"Sec-Purpose": "prefetch;prerender"},
    ],
)
def test_what_is_not_the_browser_going_here_by_itself_sees_the_page(mona, headers):
    assert mona.get("/sign-in", headers=headers).status_int == 200


def test_without_its_companion_a_session_is_not_confirmed(mona, app):
    shared = {name: value for name, value in cookies(mona).items() if "session_token" in name}
    thief = production_browser(app, "; ".join(f"{name}={value}" for name, value in shared.items()))

    assert go(thief, "/sign-in").status_int == 200


@pytest.mark.story("oauth2.token")
def test_a_refresh_is_an_invalid_grant_until_the_person_is_confirmed(
    gate, app, database, turnable_clock
):
    party = RelyingParty.registered(app, database, skip_consent=True)
    person, _ = gate.come(app)
    tokens = party.redeem(party.answer(party.authorize(person))["code"]).json
    turnable_clock.advance(days=1, seconds=1)

    refused = party.refresh(tokens["refresh_token"])
    assert refused.json["error"] == "invalid_grant"
    gate.back(person, go(person, "/sign-in?callbackURL=/account"))

    assert party.refresh(tokens["refresh_token"]).status_int == 200


@pytest.mark.story("sign_in", "callback")
@pytest.mark.attack("ADMISSION-left")
def test_who_has_left_loses_everything_on_the_way(mona, gate, app, database, standin, happened):
    party = RelyingParty.registered(app, database, skip_consent=True)
    standin.organization("acme", members={"hubot": "active"})

    answer = gate.back(mona, go(mona, "/sign-in?callbackURL=/account"))

    assert answer.status_int == 403
    assert rows(database) == []
    assert database.reader.scalar(select(user.c.admitted_at)) is None
    assert not [name for name, value in cookies(mona).items() if "session" in name and value]
    kinds = [type(event) for event in happened()]
    assert SignInRefused in kinds
    assert AdmissionEnded in kinds
    assert party.answer(party.authorize(mona, prompt="none"))["error"] == "login_required"


@pytest.mark.attack("ADMISSION-left")
def test_refresh_tokens_of_one_who_has_left_are_revoked(gate, app, database, standin):
    party = RelyingParty.registered(app, database, skip_consent=True)
    person, _ = gate.come(app)
    tokens = party.redeem(party.answer(party.authorize(person))["code"]).json
    standin.organization("acme", members={})

    _, answer = gate.come(app)

    assert answer.status_int == 403
    assert person.session() is None
    assert party.refresh(tokens["refresh_token"]).json["error"] == "invalid_grant"
    assert party.userinfo(tokens["access_token"]).status_int == 401


def test_a_stranger_who_takes_a_name_throws_nobody_out(gate, app, standin, turnable_clock):
    person, _ = gate.come(app)
    standin.organization("acme", login="acme-labs")
    standin.organization("squatter", login="acme", id=66, members={"hubot": "active"})
    gate.come(app, "hubot")

    _, answer = gate.come(app)

    assert answer.status_int == 403
    assert person.session() is not None
    turnable_clock.advance(days=1, seconds=1)
    assert person.session() is None


def test_a_renamed_organization_that_shows_nothing_throws_nobody_out(gate, app, standin):
    person, _ = gate.come(app)
    standin.organization("acme", login="acme-labs", saml=True)

    _, answer = gate.come(app)

    assert answer.status_int == 403
    assert "single sign-on" in answer.html.main.text
    assert person.session() is not None


def test_an_organization_that_shows_nothing_any_more_throws_nobody_out(
    subtests, gate, app, standin
):
    person, _ = gate.come(app)
    for gone in ({"saml": True}, {"saml": False, "hidden": True}):
        with subtests.test(gone=gone):
            standin.organization("acme", **gone)

            _, answer = gate.come(app)

            assert answer.status_int == 403
            assert person.session() is not None


def test_a_team_that_was_deleted_throws_nobody_out(gate, standin, database):
    team = {"id": 71, "members": {"octocat": "active"}}
    standin.organization("acme", teams={"core": team})
    app = gate.serves(admission__organizations="acme/core")
    pin(database, {"team:acme/core": "71"})
    person, _ = gate.come(app)
    standin.organization("acme", teams={"core": {"slug": "other", "members": {}}})

    _, answer = gate.come(app)

    assert answer.status_int == 403
    assert person.session() is not None


@pytest.mark.attack("ADMISSION-switched")
def test_another_account_that_comes_back_is_not_signed_in_without_a_click(mona, gate, database):
    before = rows(database)

    answer = gate.back(mona, go(mona, "/sign-in?callbackURL=/account"), "hubot")

    assert answer.status_int == 200
    assert answer.request.path == "/sign-in"
    assert rows(database) == before
    assert mona.session() is None
    assert database.reader.scalars(select(user.c.name)).all() == ["Mona Lisa"]


def test_a_session_that_ended_meanwhile_is_not_made_again(mona, gate, database):
    leaving = go(mona, "/sign-in?callbackURL=/account")
    mona.post_json("/api/auth/sign-out", {}, headers={"Origin": mona.origin})

    answer = gate.back(mona, leaving)

    assert answer.request.path == "/sign-in"
    assert rows(database) == []


def test_signing_out_works_while_a_confirmation_is_due(mona, database):
    mona.post_json("/api/auth/sign-out", {}, headers={"Origin": mona.origin})

    assert rows(database) == []


@pytest.mark.attack("ADMISSION-left")
def test_a_removal_during_the_sign_in_wins(gate, app, database, standin):
    with database.begin() as transaction:
        later = clock.now() + timedelta(seconds=60)
        removal.remove(transaction, "583231", later, provider_id="github")

    person, answer = gate.come(app)

    assert answer.status_int == 400
    assert "admission_changed" in answer.text
    assert person.session() is None
    assert database.reader.scalars(select(user.c.id)).all() == []


def test_a_client_may_end_a_session_that_waits(mona, gate, app, database, turnable_clock):
    party = RelyingParty.registered(app, database, skip_consent=True, enable_end_session=True)
    person, _ = gate.come(app)
    tokens = party.redeem(party.answer(party.authorize(person))["code"]).json
    turnable_clock.advance(days=2)
    before = len(rows(database))

    answer = person.get("/api/auth/oauth2/end-session", {"id_token_hint": tokens["id_token"]})

    assert answer.status_int == 303
    assert len(rows(database)) == before - 1


def test_each_outage_is_worth_one_warning(mona, gate, standin, turnable_clock, caplog):
    for _ in range(2):
        standin.fault("/login/oauth/authorize", "502")
        go(mona, "/sign-in?callbackURL=/account")
        go(mona, "/sign-in?callbackURL=/account")
        standin.repair("/login/oauth/authorize")
        turnable_clock.advance(minutes=11)
        gate.back(mona, go(mona, "/sign-in?callbackURL=/account"))
        turnable_clock.advance(days=1, minutes=1)

    assert sum("does not answer" in each.getMessage() for each in caplog.records) == 2


@pytest.mark.parametrize("kind", ["500", "reset", "429"])
def test_while_the_provider_is_away_people_stay_for_another_day(
    mona, gate, standin, turnable_clock, caplog, kind
):
    standin.fault("/login/oauth/access_token", kind)

    answer = gate.back(mona, go(mona, "/sign-in?callbackURL=/account"))
    assert (answer.request.path, answer.status_int) == ("/account", 200)
    assert mona.session() is not None
    assert sum("does not answer" in record.getMessage() for record in caplog.records) == 1

    turnable_clock.advance(days=1)
    assert mona.session() is None
    answer = gate.back(mona, go(mona, "/sign-in?callbackURL=/account"))
    assert answer.status_int == 503
    assert mona.session() is None


@pytest.mark.attack("ADMISSION-own-limit")
def test_a_limit_on_the_persons_own_token_puts_nothing_off(subtests, mona, gate, standin, database):
    for path, kind in itertools.product(
        ("/api/user", "/api/user/memberships/orgs"), ("rate_limited", "secondary_limit", "429")
    ):
        with subtests.test(path=path, kind=kind), standin.failing(path, kind):
            answer = gate.back(mona, go(mona, "/sign-in?callbackURL=/account"))

            assert answer.status_int == 503
            assert mona.session() is None
            assert not state.outage_lasts(database.reader)


@pytest.mark.parametrize("kind", ["502", "reset"])
@pytest.mark.parametrize("page", ["/sign-in", "/api/auth/sign-in/begin"])
def test_nobody_is_sent_to_a_provider_that_is_away(mona, standin, turnable_clock, page, kind):
    standin.fault("/login/oauth/authorize", kind)

    assert go(mona, f"{page}?callbackURL=/account").location == f"{mona.origin}/account"
    assert mona.get("/account").status_int == 200
    turnable_clock.advance(days=1)

    assert go(mona, f"{page}?callbackURL=/account").status_int == 503


def test_a_provider_that_answers_again_is_asked_again(mona, gate, standin, turnable_clock):
    standin.fault("/login/oauth/authorize", "502")
    go(mona, "/sign-in?callbackURL=/account")
    standin.repair("/login/oauth/authorize")
    assert mona.session() is not None
    turnable_clock.advance(minutes=10)
    assert mona.session() is None

    gate.back(mona, go(mona, "/sign-in?callbackURL=/account"))
    turnable_clock.advance(hours=23)

    assert mona.session() is not None


def test_an_outage_does_not_help_who_was_refused(mona, gate, standin):
    standin.organization("acme", members={})
    gate.back(mona, go(mona, "/sign-in?callbackURL=/account"))
    standin.fault("/login/oauth/access_token", "500")
    gate.come(gate.serves(**ORGANIZATION), "hubot")

    assert mona.session() is None


def test_other_rules_make_everyone_unconfirmed(gate, app, database):
    person, _ = gate.come(app)
    jar = person.cookiejar

    again = gate.serves(admission__organizations="acme other")
    returning = production_browser(again)
    returning.cookiejar = jar
    assert returning.session() is None
    gate.back(returning, go(returning, "/sign-in?callbackURL=/account"))

    assert returning.session()["user"]["name"] == "Mona Lisa"


def test_people_from_before_there_were_rules_are_asked_about(gate, database):
    person, _ = gate.come(gate.serves())
    assert person.session() is not None

    returning = production_browser(gate.serves(admission__organizations="other"))
    returning.cookiejar = person.cookiejar

    assert returning.session() is None
    assert gate.back(returning, go(returning, "/sign-in")).status_int == 403


@pytest.mark.parametrize("rule", ["user:octocat", "id:583231"])
def test_what_nobody_can_leave_is_not_asked_again(gate, turnable_clock, rule):
    person, _ = gate.come(gate.serves(admission__users=rule))
    turnable_clock.advance(days=3)

    assert person.session() is not None
