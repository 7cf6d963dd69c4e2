"""Clients for the members of an organization or a team, with people who come from the provider."""

import pytest
from sqlalchemy import select

from authservice.models import pinned_name
from tests.helpers.admission import Gate, pin
from tests.helpers.production import production_browser
from tests.helpers.relying_party import AUTHORIZE, RelyingParty

MEMBERS = {"octocat": "active"}
EVERYONE = {"admission__everyone": "true", "claims__groups_from": "acme"}


@pytest.fixture
def gate(make_app, monkeypatch, standin):
    standin.organization(
        "acme", id=7, members=MEMBERS, teams={"platform": {"id": 71, "members": MEMBERS}}
    )
    return Gate(make_app, monkeypatch, standin)


@pytest.fixture
def app(gate):
    return gate.serves(**EVERYONE)


def allowing(app, database, *entries):
    pin(database, {"team:acme/platform": "71", "user:octocat": "583231"})
    return RelyingParty.registered(app, database, allow=entries)


def comes_from(gate, client, app, login):
    """Send somebody through the provider, from the client; return the page at the end."""
    person = production_browser(app)
    page = person.follow_home(client.authorize(person))
    return person, gate.back(person, page.forms[0].submit("choice", value="sign-in"), login)


@pytest.mark.parametrize("entry", ["org:acme", "team:acme/platform", "user:octocat", "id:583231"])
def test_a_member_comes_in_and_a_stranger_does_not(gate, app, database, entry):
    client = allowing(app, database, entry)

    _, consent = comes_from(gate, client, app, "octocat")
    _, refusal = comes_from(gate, client, app, "hubot")

    assert (consent.status_int, consent.request.path) == (200, "/consent")
    assert (refusal.status_int, refusal.request.path) == (403, AUTHORIZE)
    assert "hubot" in refusal.html.main.get_text()


def test_the_page_leads_to_the_provider_for_another_account(gate, app, database):
    client = allowing(app, database, "org:acme")
    person, refusal = comes_from(gate, client, app, "hubot")

    choice = refusal.click("Use another account")
    leaving = person.follow_home(choice.forms[0].submit("choice", value="sign-in"))

    assert "prompt=select_account" in leaving.location
    assert gate.back(person, leaving, "octocat").request.path == "/consent"


def test_who_has_left_the_team_is_refused_after_the_next_sign_in(gate, app, database, standin):
    client = allowing(app, database, "team:acme/platform")
    person, consent = comes_from(gate, client, app, "octocat")
    code = client.answer(person.follow_home(consent.forms[0].submit("decision", value="allow")))
    tokens = client.redeem(code["code"]).json

    standin.organization("acme", teams={"platform": {"members": {}}})
    gate.come(app, "octocat")

    assert client.refresh(tokens["refresh_token"]).json["error"] == "invalid_grant"
    assert person.get(AUTHORIZE, client.request(), expect_errors=True).status_int == 403


def test_an_organization_that_was_renamed_is_still_the_one_that_is_meant(
    gate, app, database, standin
):
    client = allowing(app, database, "org:acme")
    comes_from(gate, client, app, "octocat")

    standin.organization("acme", login="acme-group")
    _, consent = comes_from(gate, client, app, "octocat")

    assert consent.request.path == "/consent"


@pytest.mark.attack("ADMISSION-listed-name")
@pytest.mark.parametrize("entry", ["org:acme", "team:acme/platform"])
def test_a_stranger_who_takes_the_organization_s_name_is_not_let_in(
    gate, app, database, standin, entry
):
    client = allowing(app, database, entry)
    comes_from(gate, client, app, "octocat")

    standin.organization("acme", login="acme-group")
    strangers = {"hubot": "active"}
    standin.organization(
        "taken", login="acme", id=666, members=strangers, teams={"platform": {"members": strangers}}
    )
    _, refusal = comes_from(gate, client, app, "hubot")

    assert refusal.status_int == 403
    assert database.reader.scalar(
        select(pinned_name.c.number).where(pinned_name.c.id == "org:acme")
    ) == ("7")
