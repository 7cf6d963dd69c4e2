"""Which client may have tokens for which resource: those that it has, and the person allows it."""

import json

import pytest
from sqlalchemy import select, update

from authservice.cli import main as authservice
from authservice.cli import register
from authservice.events import ConsentGiven
from authservice.models import oauth_client, oauth_consent
from tests.helpers.published_keys import decoded
from tests.helpers.relying_party import RelyingParty
from tests.helpers.resource_file import resource_file

CALENDAR = "https://calendar.example.com/"
FILES = "https://files.example.com/v1"


@pytest.fixture
def app(make_app, tmp_path):
    calendar = f'["{CALENDAR}"]\nname = "Team <Calendar>"\nintrospected_by = ["observer"]'
    return make_app(auth__resources=resource_file(tmp_path, calendar, FILES))


@pytest.fixture
def client(app, database):
    """A client that may have tokens for the calendar."""
    return RelyingParty.registered(app, database, resources=[CALENDAR])


def change(database, client, **changes):
    with database.transaction() as connection:
        which = oauth_client.c.client_id == client.client_id
        connection.execute(update(oauth_client).where(which).values(changes))


def tokens_for(browser, client, *resources):
    return client.redeem(client.sign_in_with(browser, resource=list(resources))).json


def audience(answer, client):
    return decoded(answer["access_token"], client.http)[1]["aud"]


def refused(answer):
    assert answer["error"] == "invalid_target"
    assert "resource" in answer["error_description"]


@pytest.mark.attack("TOKENS-unregistered-resource", "RFC9700-4.10")
def test_a_client_asks_in_vain_for_a_resource_that_it_is_not_registered_for(
    subtests, browser, client, database
):
    for resources in ([FILES], [CALENDAR, FILES]):
        for skip_consent in (False, True):
            with subtests.test(resources=resources, skip_consent=skip_consent):
                change(database, client, skip_consent=skip_consent)
                browser.sign_in()

                refused(client.answer(client.authorize(browser, resource=resources)))


@pytest.mark.attack("TOKENS-unregistered-resource")
def test_a_client_has_no_resource_by_default(browser, relying_party):
    refused(relying_party.answer(relying_party.authorize(browser, resource=CALENDAR)))


@pytest.mark.attack("TOKENS-unregistered-resource")
def test_a_resource_that_the_client_has_lost_is_gone_from_code_and_refresh(
    browser, client, database
):
    change(database, client, resources=[CALENDAR, FILES])
    tokens = tokens_for(browser, client, CALENDAR, FILES)
    codes = [client.sign_in_with(browser, resource=[CALENDAR, FILES]) for _ in range(2)]
    change(database, client, resources=[CALENDAR])

    assert audience(client.redeem(codes[0]).json, client) == CALENDAR
    refused(client.redeem(codes[1], resource=FILES).json)
    refused(client.refresh(tokens["refresh_token"], resource=FILES).json)
    refreshed = client.refresh(tokens["refresh_token"]).json
    assert audience(refreshed, client) == CALENDAR
    change(database, client, resources=None)
    refused(client.refresh(refreshed["refresh_token"]).json)


@pytest.mark.attack("TOKENS-unregistered-resource")
def test_an_older_consent_is_none_for_a_resource(browser, client):
    client.sign_in_with(browser)

    page = browser.follow_home(client.authorize(browser, resource=CALENDAR))

    assert page.request.path == "/consent"
    silent = client.answer(client.authorize(browser, resource=CALENDAR, prompt="none"))
    assert silent["error"] == "consent_required"


@pytest.mark.attack("TOKENS-unregistered-resource")
def test_adding_a_resource_asks_again_and_both_are_remembered(browser, client, database):
    change(database, client, resources=[CALENDAR, FILES])
    tokens_for(browser, client, CALENDAR)
    page = browser.follow_home(client.authorize(browser, resource=[CALENDAR, FILES]))
    assert page.request.path == "/consent"
    browser.follow_home(page.forms[0].submit("decision", value="allow"))

    for resources in ([CALENDAR], [FILES], [FILES, CALENDAR], []):
        assert "code" in client.answer(client.authorize(browser, resource=resources))
    assert database.reader.scalar(select(oauth_consent.c.resources)) == (CALENDAR, FILES)


@pytest.mark.attack("TOKENS-unregistered-resource")
def test_a_refresh_token_brings_no_resource_that_the_person_has_not_allowed(
    browser, client, database
):
    tokens = tokens_for(browser, client, CALENDAR)
    with database.transaction() as connection:
        connection.execute(update(oauth_consent).values(resources=None))

    refused(client.refresh(tokens["refresh_token"]).json)


def test_the_pages_name_resources(browser, client, database):
    change(database, client, resources=[CALENDAR, FILES])
    browser.sign_in()
    page = browser.follow_home(client.authorize(browser, resource=[CALENDAR, FILES]))

    shown = [each.get_text(" ", strip=True) for each in page.html.select("ul.scopes li")][-2:]
    assert shown == [
        f"Use Team <Calendar> in your name {CALENDAR}",
        f"Use {FILES} in your name",
    ]
    browser.follow_home(page.forms[0].submit("decision", value="allow"))
    allowed = browser.get("/account").html.select("ul.allowed li")
    assert [each.get_text() for each in allowed][-2:] == [
        "Use Team <Calendar> in your name",
        f"Use {FILES} in your name",
    ]


def test_an_account_page_of_an_application_learns_all_that_have_been_allowed(
    browser, client, database
):
    change(database, client, resources=[CALENDAR, FILES])
    for resource in (CALENDAR, FILES):
        tokens_for(browser, client, resource)

    (consent,) = browser.get("/api/auth/oauth2/get-consents").json

    assert consent["resources"] == [CALENDAR, FILES]


def test_the_event_of_a_consent_names_those_that_were_asked_for(
    browser, client, database, happened
):
    change(database, client, resources=[CALENDAR, FILES])

    for resource in (CALENDAR, FILES):
        tokens_for(browser, client, resource)

    given = [event.resources for event in happened() if isinstance(event, ConsentGiven)]
    assert given == [(CALENDAR,), (FILES,)]


def test_what_is_shown_does_not_change_by_what_the_form_says(browser, client, database):
    browser.sign_in()
    page = browser.follow_home(client.authorize(browser))
    fields = dict(page.forms[0].submit_fields()) | {"decision": "allow", "resource": CALENDAR}

    browser.follow_home(browser.post("/consent", fields))

    assert database.reader.scalar(select(oauth_consent.c.resources)) is None


# The commands


def test_registering_names_any_number(printed, database):
    required = ("--name", "App", "--redirect-uri", "https://app.example.com/cb", "--json")
    named = ("--resource", CALENDAR, "--resource", FILES)

    with_resources = json.loads(printed(register.main, *required, *named).out)
    without = json.loads(printed(register.main, *required).out)

    assert with_resources["resources"] == [CALENDAR, FILES]
    assert "resources" not in without
    assert {*database.reader.scalars(select(oauth_client.c.resources))} == {
        (CALENDAR, FILES),
        None,
    }


def test_updating_replaces_them_and_an_empty_one_takes_all_away(printed, client, database):
    for arguments, stored in [
        (("--resource", FILES, "--resource", CALENDAR), (FILES, CALENDAR)),
        (("--name", "Another Name"), (FILES, CALENDAR)),
        (("--resource", ""), None),
    ]:
        printed(authservice, "clients", "update", client.client_id, *arguments)
        assert database.reader.scalar(select(oauth_client.c.resources)) == stored


@pytest.mark.parametrize(
    ("resources", "reason"),
    [
        (["calendar.example.com"], "absolute URI without a fragment"),
        ([f"{CALENDAR}#part"], "absolute URI without a fragment"),
        ([f"{CALENDAR} {FILES}"], "absolute URI without a fragment"),
        ([CALENDAR, CALENDAR], "given twice"),
    ],
)
@pytest.mark.usefixtures("found_by_commands")
def test_what_cannot_be_a_resource_is_refused(client, capsys, resources, reason):
    named = [word for each in resources for word in ("--resource", each)]

    with pytest.raises(SystemExit) as stop:
        authservice(["clients", "update", client.client_id, *named])

    assert reason in f"{stop.value.code} {capsys.readouterr().err}"
