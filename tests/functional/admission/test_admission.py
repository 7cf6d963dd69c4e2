"""Who may sign in: the rules decide when a person comes back from the provider."""

import json
from urllib.parse import parse_qs, urlsplit

import pytest
from sqlalchemy import delete, func, select

from authservice.events import SignInRefused
from authservice.models import account, session, user
from tests.helpers.admission import Gate, pin
from tests.helpers.production import production_browser
from tests.helpers.relying_party import RelyingParty

MONA, HUBOT = "583231", "480938"
# A provider other than GitHub itself has to be trusted first.
DOMAIN = {"admission__email_domains": "example.com", "provider__trust_emails": "true"}


@pytest.fixture
def gate(make_app, monkeypatch, standin):
    standin.organization(
        "acme",
        id=7,
        members={"octocat": "active"},
        teams={
            "platform": {"id": 71},
            "on-call": {"id": 72, "parent": "platform", "members": {"octocat": "active"}},
        },
    )
    return Gate(make_app, monkeypatch, standin)


def refusals(happened):
    return [event for event in happened() if isinstance(event, SignInRefused)]


def stored(database):
    return [
        database.reader.scalar(select(func.count()).select_from(table))
        for table in (user, account, session)
    ]


def test_one_rule_that_fits_lets_a_person_in(subtests, gate, database):
    for rules in (
        {"admission__organizations": "acme"},
        {"admission__organizations": "org:ACME other"},
        {"admission__organizations": "acme/on-call"},
        {"admission__organizations": "team:acme/platform"},
        {"admission__users": "user:hubot, user:Octocat"},
        {"admission__users": f"id:{MONA}"},
        DOMAIN,
        {"admission__organizations": "other", "admission__users": f"id:{MONA}"},
    ):
        with subtests.test(rules=rules):
            with database.transaction() as connection:
                # Nobody has come before.
                connection.execute(delete(user))
            app = gate.serves(**rules)
            pin(database, {"team:acme/on-call": "72", "team:acme/platform": "71"})
            person, _ = gate.come(app)

            assert person.session()["user"]["name"] == "Mona Lisa"
            admitted_at, admitted_by = database.reader.execute(
                select(user.c.admitted_at, user.c.admitted_by)
            ).one()
            assert admitted_at is not None
            assert admitted_by.partition(":")[2] in {
                *("acme", "acme/on-call", "acme/platform", "octocat", MONA, "example.com")
            }


@pytest.mark.story("callback")
@pytest.mark.attack("ADMISSION-stranger")
def test_a_stranger_reaches_a_page_and_nothing_is_stored(gate, database, happened):
    app = gate.serves(admission__organizations="acme", auth__service_name="Widgets Ltd")

    person, answer = gate.come(app, "hubot")

    assert answer.status_int == 403
    assert answer.html.h1.string == "You may not sign in here"
    assert "hubot" in answer.html.main.text
    assert "Widgets Ltd does not admit the GitHub account" in answer.html.main.text
    assert "This page is run by Widgets Ltd" in answer.html.footer.text
    assert stored(database) == [0, 0, 0]
    assert person.session() is None
    assert refusals(happened) == [
        SignInRefused(provider="github", account_id=HUBOT, reason="not_a_member")
    ]
    assert "hubot" not in json.dumps([event.content() for event in happened()])


def test_a_refused_person_can_come_with_another_account(gate):
    person, answer = gate.come(gate.serves(admission__organizations="acme"), "hubot")

    page = person.get(answer.html.find("a", string="Try again with another account")["href"])
    leaving = page.forms[0].submit("choice", value="sign-in")
    assert parse_qs(urlsplit(leaving.location).query)["prompt"] == ["select_account"]
    gate.back(person, leaving, "octocat")

    assert person.session()["user"]["name"] == "Mona Lisa"


@pytest.mark.attack("ADMISSION-invited")
def test_the_page_says_what_can_be_done(subtests, gate, standin, happened, caplog):
    standin.organization("abc", members={})
    # What the second one says counts more than that they are no member of the first.
    app = gate.serves(admission__organizations="abc acme")
    usual = {"saml": False, "restricted": False, "hidden": False, "members": {"octocat": "active"}}
    for changes, reason, advice in (
        ({"saml": True}, "unreadable_saml", "sign in there first, with its single sign-on"),
        ({"restricted": True}, "unreadable_restricted", "has not approved authservice at GitHub"),
        ({"hidden": True}, "unreadable_gone", "does not let us see whether you are a member"),
        ({"members": {"octocat": "pending"}}, "not_a_member", "Ask the people who run"),
        ({"members": {}}, "not_a_member", "Ask the people who run authservice"),
    ):
        with subtests.test(changes=changes):
            caplog.clear()
            standin.organization("acme", **(usual | changes))

            _, answer = gate.come(app)

            assert answer.status_int == 403
            assert advice in answer.html.main.text.replace("\n", " ")
            assert [event.reason for event in refusals(happened)] == [reason]
            # Only after something that they can do, the same account may be admitted.
            again = answer.html.find("a", string="Try again") is not None
            assert again is reason.startswith("unreadable")


def test_a_rate_limit_of_the_provider_says_when_to_try_again(subtests, gate, standin):
    app = gate.serves(admission__organizations="acme")
    for path, kind, seconds, advice in (
        ("/api/user/memberships/orgs", "rate_limited", range(3500, 3601), "Wait 60 minutes, then"),
        ("/api/user", "secondary_limit", (60,), "Wait 1 minute, then try again."),
        ("/login/oauth/access_token", "429", (60,), "Wait 1 minute, then try again."),
        ("/api/user", "500", (None,), "Wait a moment, then try again."),
    ):
        with subtests.test(path=path, kind=kind), standin.failing(path, kind):
            _, answer = gate.come(app)

            assert answer.status_int == 503
            assert advice in answer.html.main.text
            named = answer.headers.get("Retry-After")
            assert (named and int(named)) in seconds


def test_an_organization_that_shows_nothing_keeps_nobody_out_whom_another_rule_admits(
    gate, standin
):
    standin.organization("closed", saml=True, members={"octocat": "active"})

    person, _ = gate.come(gate.serves(admission__organizations="closed acme"))

    assert person.session()["user"]["name"] == "Mona Lisa"


@pytest.mark.attack("ADMISSION-freed-name")
def test_a_freed_name_in_other_hands_admits_nobody(gate, standin, happened):
    app = gate.serves(admission__organizations="acme")
    gate.come(app)
    standin.organization("acme", login="acme-labs")
    standin.organization("squatter", login="acme", id=66, members={"hubot": "active"})

    _, squatter = gate.come(app, "hubot")
    _, member = gate.come(app)

    assert (squatter.status_int, member.status_int) == (403, 403)
    assert [event.reason for event in refusals(happened)] == ["name_reassigned"] * 2


def test_a_renamed_organization_admits_its_members_all_the_same(gate, standin):
    app = gate.serves(admission__organizations="acme")
    gate.come(app)
    standin.organization("acme", login="acme-labs")

    person, _ = gate.come(app)

    assert person.session()["user"]["name"] == "Mona Lisa"


@pytest.mark.attack("ADMISSION-address")
def test_only_the_verified_primary_address_has_a_domain_that_counts(
    subtests, gate, standin, happened, caplog
):
    app = gate.serves(**DOMAIN)
    for entry in ({"primary": True, "verified": False}, {"primary": False, "verified": True}):
        with subtests.test(entry=entry):
            caplog.clear()
            standin.account("octocat", emails=[{"email": "mona@example.com", **entry}])

            _, answer = gate.come(app)

            assert answer.status_int == 403
            assert "Confirm it there" in answer.html.main.text
            assert [event.reason for event in refusals(happened)] == ["no_address"]


@pytest.mark.attack("ADMISSION-address")
def test_a_domain_is_the_whole_text_after_the_last_at(subtests, gate, standin):
    for email in (
        "mona@example.com.evil.test",
        "mona@sub.example.com",
        "a@example.com@evil.test",
        "m@éxample.com",
    ):
        with subtests.test(email=email):
            standin.account("octocat", emails=[{"email": email, "primary": True, "verified": True}])

            _, answer = gate.come(gate.serves(**DOMAIN))

            assert answer.status_int == 403


def test_addresses_that_could_not_be_read_are_no_refusal(gate, standin, happened):
    standin.fault("/api/user/emails", "500")

    _, answer = gate.come(gate.serves(**DOMAIN))

    assert answer.status_int == 503
    assert refusals(happened) == []


def test_an_application_is_told_as_of_every_failure(gate):
    app = gate.serves(admission__organizations="acme")

    _, answer = gate.come(app, "hubot", errorCallbackURL="https://app.example.com/oops")

    assert answer.location == "https://app.example.com/oops?error=not_admitted"


@pytest.mark.story("oauth2.authorize", "callback")
def test_a_refused_person_can_go_back_to_the_client_with_the_answer(gate, database):
    app = gate.serves(admission__organizations="acme")
    party = RelyingParty.registered(app, database)
    person = production_browser(app)
    page = person.follow_home(party.authorize(person))

    answer = gate.back(person, page.forms[0].submit("choice", value="sign-in"), "hubot")

    link = answer.html.find(id="back")
    assert link.text.strip() == "Back to Example App"
    assert link["href"].startswith(party.redirect_uri)
    told = {name: value for name, [value] in parse_qs(urlsplit(link["href"]).query).items()}
    assert told == {
        "error": "access_denied",
        "error_description": "The user may not sign in.",
        "state": "opaque state",
        "iss": "https://auth.example.com/api/auth",
    }


def test_the_way_back_is_a_form_where_the_client_wants_one(gate, database):
    app = gate.serves(admission__organizations="acme")
    party = RelyingParty.registered(app, database)
    person = production_browser(app)
    page = person.follow_home(party.authorize(person, response_mode="form_post"))

    answer = gate.back(person, page.forms[0].submit("choice", value="sign-in"), "hubot")

    form = answer.forms[0]
    assert form.action == party.redirect_uri
    assert form["error"].value == "access_denied"
    assert "form-action" not in answer.headers["Content-Security-Policy"]
