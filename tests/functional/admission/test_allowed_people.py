"""Clients that are for some people only: what others see, and what their tokens are worth."""

from urllib.parse import parse_qs, urlsplit

import pytest
from sqlalchemy import func, select, update

from authservice.events import AccessRefused, TokenRefused
from authservice.models import oauth_client, oauth_consent
from tests.helpers.browser import Browser
from tests.helpers.relying_party import AUTHORIZE, RelyingParty
from tests.helpers.statements import statements  # noqa: F401  (a fixture)

FILE = """
[person.ada]
groups = ["acme", "acme/platform"]

[person.bob]
email = "bob@example.com"
groups = ["other"]

[person.583231]
username = "octocat"
email_verified = false
email = "octocat@example.com"
"""
EVERYONE = {"ada", "bob", "583231", "local-developer"}


@pytest.fixture
def app(make_app, tmp_path):
    file = tmp_path / "persons.toml"
    file.write_text(FILE)
    return make_app(local__persons=str(file))


@pytest.fixture
def come(app):
    """Sign in as a person in a browser of its own."""

    def sign_in(person):
        browser = Browser(app)
        page = browser.get("/sign-in")
        browser.follow_home(page.forms[0].submit("person", value=person))
        assert browser.session()["user"]["id"] == person
        return browser

    return sign_in


@pytest.fixture
def allowing(app, database):
    """Register a client for those whom the entries allow."""

    def register(*entries, **changes):
        return RelyingParty.registered(app, database, allow=entries, **changes)

    return register


def change(database, client, *entries):
    with database.transaction() as connection:
        which = oauth_client.c.client_id == client.client_id
        connection.execute(update(oauth_client).where(which).values(allow=entries or None))


def comes_in(browser, client, **changes):
    """Tell whether a person gets a code, allowing all that is requested."""
    answer = browser.follow_home(client.authorize(browser, **changes))
    if answer.status_int == 200 and answer.request.path == "/consent":
        answer = browser.follow_home(answer.forms[0].submit("decision", value="allow"))
    return answer.status_int in {302, 303} and "code" in client.answer(answer)


def refused(browser, client, **changes):
    """Return the page that says that the client is for others."""
    page = browser.get(AUTHORIZE, client.request(**changes), expect_errors=True)
    assert page.status_int == 403, page
    return page


def invalid_grant(answer):
    assert (answer.status_int, answer.json["error"]) == (400, "invalid_grant"), answer
    return answer.json["error_description"]


@pytest.mark.story("oauth2.authorize")
def test_a_client_is_for_those_whom_an_entry_fits(subtests, come, allowing):
    for entries, expected in (
        (["org:acme"], {"ada"}),
        (["team:ACME/Platform"], {"ada"}),
        (["team:acme/other"], set()),
        (["user:Bob"], {"bob"}),
        (["id:583231"], {"583231"}),
        (["user:local-developer", "org:other"], {"local-developer", "bob"}),
        (["domain:example.com"], {"bob"}),
        ([], EVERYONE),
    ):
        with subtests.test(entries=entries, expected=expected):
            client = allowing(*entries)

            assert {
                person for person in EVERYONE if comes_in_or_is_refused(come(person), client)
            } == expected


def comes_in_or_is_refused(browser, client):
    first = browser.get(AUTHORIZE, client.request(), expect_errors=True)
    return first.status_int != 403 and comes_in(browser, client)


def test_the_page_says_who_is_meant_whom_to_ask_and_how_to_go_on(come, allowing):
    client = allowing("org:acme", name="Ledger <1>")

    page = refused(come("bob"), client)

    said = page.html.main.get_text(" ", strip=True)
    assert "Ledger <1> is not for this account" in said
    assert "bob@ example.com" in said
    assert "Account name: bob" in said
    assert "run authservice" in said
    assert "access_denied" in said
    assert page.html.find(id="back").get_text() == "Back to Ledger <1>"
    assert page.headers["Cache-Control"] == "no-store"


def test_the_way_back_tells_the_client_that_access_was_denied(come, allowing):
    client = allowing("org:acme")

    page = refused(come("bob"), client, state="a&b=c")

    address = page.html.find(id="back")["href"]
    assert address.startswith(client.redirect_uri)
    answer = {name: value for name, [value] in parse_qs(urlsplit(address).query).items()}
    assert answer.pop("error_description").startswith("This client is not for")
    assert answer == {
        "error": "access_denied",
        "state": "a&b=c",
        "iss": "http://localhost:37960/api/auth",
    }


def test_the_way_back_is_a_form_where_the_client_reads_one(come, allowing):
    client = allowing("org:acme")

    page = refused(come("bob"), client, response_mode="form_post")

    assert "Location" not in page.headers
    form = page.html.form
    assert (form["method"], form["action"]) == ("post", client.redirect_uri)
    fields = {each["name"]: each["value"] for each in form.find_all("input")}
    assert (fields["error"], fields["state"]) == ("access_denied", "opaque state")
    assert fields["iss"] == "http://localhost:37960/api/auth"
    assert "form-action" not in page.headers["Content-Security-Policy"]


@pytest.mark.parametrize("response_mode", ["query", "form_post"])
def test_a_silent_request_learns_it_at_once(come, allowing, response_mode):
    client, browser = allowing("org:acme"), come("bob")

    answer = client.authorize(browser, prompt="none", response_mode=response_mode)

    if response_mode == "query":
        assert client.answer(answer)["error"] == "access_denied"
    else:
        assert answer.status_int == 200
        assert answer.form["error"].value == "access_denied"
        assert answer.form["state"].value == "opaque state"


def test_another_account_can_be_tried_from_the_page(come, allowing):
    client, browser = allowing("org:acme"), come("bob")
    page = refused(browser, client)

    choice = page.click("Use another account")

    assert "Example App is not for this account." in choice.html.main.get_text(" ", strip=True)
    assert choice.html.find("button", value="continue") is None
    consent = browser.follow_home(choice.forms[0].submit("person", value="ada"))
    assert consent.request.path == "/consent"
    assert consent.html.select_one(".person strong").get_text() == "ada"


def test_going_on_as_the_same_person_shows_the_page_again(come, allowing):
    client, browser = allowing("org:acme"), come("bob")
    choice = refused(browser, client).click("Use another account")

    again = choice.forms[0].submit("person", value="bob")
    while again.status_int == 303:
        again = browser.visit(again.location, expect_errors=True)

    assert again.status_int == 403


def test_a_person_can_be_chosen_before_anyone_is_refused(come, allowing):
    client, browser = allowing("org:acme"), come("bob")

    page = browser.follow_home(client.authorize(browser, prompt="select_account"))

    assert page.request.path == "/sign-in"
    assert "ada" in page.text


@pytest.mark.attack("ADMISSION-unlisted")
def test_the_consent_page_gives_no_way_around_the_list(come, allowing, database):
    client, browser = allowing(), come("bob")
    consent = browser.follow_home(client.authorize(browser))
    assert consent.request.path == "/consent"
    change(database, client, "org:acme")

    answer = consent.forms[0].submit("decision", value="allow")
    page = browser.visit(answer.location, expect_errors=True)

    assert page.status_int == 403


@pytest.mark.parametrize("skip_consent", [False, True])
@pytest.mark.attack("ADMISSION-unlisted")
def test_a_code_obeys_the_list_as_it_is_when_it_is_redeemed(
    come, allowing, database, skip_consent, happened
):
    client, bob, ada = allowing(skip_consent=skip_consent), come("bob"), come("ada")
    codes = {person: client.sign_in_with(person) for person in (bob, ada)}
    change(database, client, "org:acme")

    assert "not for this user" in invalid_grant(client.redeem(codes[bob]))
    refusals = [event.error for event in happened() if isinstance(event, TokenRefused)]
    assert refusals == ["invalid_grant"]
    assert client.redeem(codes[ada]).status_int == 200


@pytest.mark.parametrize("skip_consent", [False, True])
@pytest.mark.attack("ADMISSION-unlisted")
def test_a_refresh_token_obeys_the_list_as_it_is_and_outlives_a_mistake(
    come, allowing, database, skip_consent
):
    client, bob = allowing(skip_consent=skip_consent), come("bob")
    tokens = client.redeem(client.sign_in_with(bob)).json
    change(database, client, "id:1", "org:acme")

    for _ in range(2):
        assert "not for this user" in invalid_grant(client.refresh(tokens["refresh_token"]))
    assert introspected(client, tokens["refresh_token"]) == {"active": False}
    # What was issued before runs out by itself, as after a change of the scopes.
    assert client.userinfo(tokens["access_token"]).status_int == 200
    assert introspected(client, tokens["access_token"])["active"] is True

    change(database, client, "id:1", "user:bob")
    answer = client.refresh(tokens["refresh_token"])
    assert answer.status_int == 200
    assert introspected(client, answer.json["refresh_token"])["active"] is True
    change(database, client)
    assert client.refresh(answer.json["refresh_token"]).status_int == 200


def introspected(client, token):
    answer = client.http.post(
        "/api/auth/oauth2/introspect", {"token": token}, headers=client.credentials()
    )
    return answer.json


@pytest.mark.attack("ADMISSION-unlisted")
def test_a_retry_within_the_grace_obeys_the_list_too(come, allowing, database):
    client, bob = allowing("user:bob"), come("bob")
    tokens = client.redeem(client.sign_in_with(bob)).json
    assert client.refresh(tokens["refresh_token"]).status_int == 200
    change(database, client, "id:1")

    assert invalid_grant(client.refresh(tokens["refresh_token"]))


def test_someone_who_has_left_is_out_from_the_next_sign_in(app, come, allowing, tmp_path):
    client, ada = allowing("team:acme/platform"), come("ada")
    tokens = client.redeem(client.sign_in_with(ada)).json
    everyone = app.registry.components.persons.at_start
    left = everyone["ada"].__class__(id="ada", name="ada", username="ada", email="ada@x.example")
    everyone["ada"] = left

    come("ada")

    assert invalid_grant(client.refresh(tokens["refresh_token"]))
    assert refused(ada, client)


def test_an_event_says_who_came_to_which_client_in_vain(come, allowing, happened, caplog):
    client, bob = allowing("org:acme"), come("bob")
    caplog.clear()

    refused(bob, client)
    client.authorize(bob, prompt="none")

    assert happened() == [AccessRefused(sub="bob", client_id=client.client_id)] * 2


def test_nothing_is_stored_of_someone_who_is_refused(come, allowing, database):
    client, bob = allowing("org:acme"), come("bob")

    refused(bob, client)

    assert database.reader.scalar(select(func.count()).select_from(oauth_consent)) == 0


def test_applications_that_share_the_session_are_not_concerned(come, allowing):
    allowing("org:acme")

    assert come("bob").session()["user"]["id"] == "bob"


@pytest.mark.engines("sqlite")
def test_without_a_list_nothing_is_asked_of_the_person(come, allowing, statements):  # noqa: F811
    client, bob = allowing(), come("bob")
    assert comes_in(bob, client)
    statements.clear()

    tokens = client.redeem(client.answer(client.authorize(bob))["code"]).json
    client.refresh(client.refresh(tokens["refresh_token"]).json["refresh_token"])

    assert statements
    assert not [each for each in statements if "pinned_name" in each or " account" in each]
