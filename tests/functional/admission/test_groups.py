"""Groups: told to clients that were registered for them, and to the others never."""

from functools import partial

import pytest

from authservice.cli import main as authservice
from tests.helpers.browser import Browser
from tests.helpers.control import Control
from tests.helpers.published_keys import decoded
from tests.helpers.relying_party import RelyingParty

GROUPS = ["acme", "acme/platform", "other"]
ALL = "openid profile offline_access groups"
BY_NAME = '{"userinfo": {"groups": null}, "id_token": {"groups": {"essential": true}}}'


@pytest.fixture
def control(app):
    control = Control(app)
    control.put("persons/anna", {"name": "Anna", "groups": GROUPS[::-1]})
    return control


@pytest.fixture
def anna(browser, control):
    """A browser in which Anna is signed in."""
    signed_in(browser)
    return browser


@pytest.fixture
def client(app, database):
    return RelyingParty.registered(app, database, groups=True)


@pytest.fixture
def change(printed, client):
    return partial(printed, authservice, "clients", "update", client.client_id)


def signed_in(browser):
    browser.get("/sign-in", {"callbackURL": "/account"}).forms[0].submit(
        "person", value="anna"
    ).follow()


def tokens_for(browser, client, **changes):
    return client.redeem(client.sign_in_with(browser, **{"scope": ALL} | changes)).json


def told(client, tokens):
    """Return the groups of the ID token and those of userinfo; None where they are not told."""
    claims = decoded(tokens["id_token"], client.http)[1]
    return claims.get("groups"), client.userinfo(tokens["access_token"]).json.get("groups")


def test_both_id_token_and_userinfo_have_them_sorted(anna, client):
    assert told(client, tokens_for(anna, client)) == (GROUPS, GROUPS)


@pytest.mark.parametrize("scope", ["openid", "openid profile email offline_access"])
def test_without_the_scope_they_are_not_told(anna, client, scope):
    assert told(client, tokens_for(anna, client, scope=scope)) == (None, None)


def test_they_may_be_asked_for_by_name(anna, client):
    tokens = tokens_for(anna, client, scope="openid", claims=BY_NAME)

    assert tokens["scope"] == "openid"
    assert told(client, tokens) == (GROUPS, GROUPS)


def test_a_minimal_id_token_leaves_them_to_userinfo(app, database, anna):
    client = RelyingParty.registered(app, database, groups=True, minimal_id_token=True)

    assert told(client, tokens_for(anna, client)) == (None, GROUPS)


@pytest.mark.requirement("OIDC-CORE-5.5-2", "OIDC-CORE-5.5-3")
@pytest.mark.parametrize("how", [{"scope": ALL}, {"scope": "openid", "claims": BY_NAME}])
def test_a_client_that_was_not_registered_for_them_asks_in_vain(anna, relying_party, how):
    tokens = tokens_for(anna, relying_party, **how)

    assert "groups" not in tokens["scope"]
    assert told(relying_party, tokens) == (None, None)


def test_who_may_have_everything_gets_no_groups_without_asking(anna, client):
    tokens = tokens_for(anna, client, scope=None)

    assert tokens["scope"] == "openid"
    assert told(client, tokens) == (None, None)


@pytest.mark.attack("TOKENS-lost-scope")
def test_what_the_client_loses_a_code_and_a_refresh_token_no_longer_bring(anna, client, change):
    tokens = tokens_for(anna, client)
    code = client.sign_in_with(anna, scope=ALL)
    change("--no-groups")

    for answer in (client.redeem(code).json, client.refresh(tokens["refresh_token"]).json):
        assert answer["scope"] == "openid profile offline_access"
        assert told(client, answer) == (None, None)


@pytest.mark.attack("TOKENS-lost-scope")
def test_single_claims_go_with_it(anna, client, change):
    tokens = tokens_for(anna, client, scope="openid offline_access", claims=BY_NAME)
    change("--no-groups")

    assert told(client, client.refresh(tokens["refresh_token"]).json) == (None, None)


@pytest.mark.attack("TOKENS-lost-scope")
def test_what_it_gets_back_comes_back(anna, client, change):
    tokens = tokens_for(anna, client)
    change("--no-groups")
    narrow = client.refresh(tokens["refresh_token"]).json
    change("--groups")

    assert told(client, client.refresh(narrow["refresh_token"]).json) == (GROUPS, GROUPS)


def test_the_consent_page_shows_what_would_be_told(anna, client):
    page = anna.follow_home(client.authorize(anna, scope=ALL))

    assert [each.text for each in page.html.select("ul.values li")] == GROUPS


def test_a_client_that_has_been_allowed_all_else_has_to_ask_for_them(anna, client, change):
    change("--no-groups")
    client.sign_in_with(anna, scope="openid profile offline_access")
    change("--groups")

    again = client.authorize(anna, scope="openid profile offline_access")
    assert "code" in client.answer(again)
    assert "/consent" in client.authorize(anna, scope=ALL).location


@pytest.mark.attack("TOKENS-declined-scope")
@pytest.mark.parametrize("parameters", [{}, {"scope": "openid offline_access", "claims": BY_NAME}])
def test_a_person_may_decline_them(anna, client, parameters):
    held = tokens_for(anna, client, **parameters)
    page = anna.follow_home(client.authorize(anna, prompt="consent", **{"scope": ALL} | parameters))
    page = page.click("Choose what you share")
    for box in page.forms[0].fields["scope"]:
        box.checked = box._value != "groups"
    answer = anna.follow_home(page.forms[0].submit("decision", value="allow-ticked"))

    tokens = client.redeem(client.answer(answer)["code"]).json
    assert "groups" not in tokens["scope"].split()
    assert told(client, tokens) == (None, None)
    assert client.userinfo(held["access_token"]).status_int == 401
    assert told(client, client.refresh(held["refresh_token"]).json) == (None, None)


def test_groups_and_name_follow_the_next_sign_in(anna, client, control):
    before = tokens_for(anna, client)
    control.put("persons/anna", {"name": "Anna", "username": "anna-b", "groups": ["acme"]})
    still = client.refresh(before["refresh_token"]).json
    assert told(client, still) == (GROUPS, GROUPS)
    signed_in(anna)
    after = client.refresh(still["refresh_token"]).json

    assert told(client, after) == (["acme"], ["acme"])
    userinfo = client.userinfo(after["access_token"]).json
    assert userinfo["preferred_username"] == "anna-b"


def test_only_those_of_organizations_that_the_settings_name_are_known(make_app, database):
    app = make_app(claims__groups_from="acme")
    control, browser = Control(app), Browser(app)
    control.put("persons/anna", {"groups": ["ACME/Platform", "acme", "other", "acmes/x"]})
    signed_in(browser)
    client = RelyingParty.registered(app, database, groups=True, skip_consent=True)

    known = ["acme", "acme/platform"]
    assert told(client, tokens_for(browser, client)) == (known, known)
    assert browser.session()["user"]["groups"] == known
    token = browser.get("/api/auth/token").json["token"]
    assert decoded(token, browser)[1]["groups"] == known


@pytest.mark.parametrize("number", [200, 201])
def test_two_hundred_are_told_and_the_log_says_that_there_are_more(
    make_app, database, caplog, number
):
    app = make_app(claims__groups_from="acme")
    control, browser = Control(app), Browser(app)
    many = [f"acme/{each:03}" for each in range(number)]
    control.put("persons/anna", {"groups": many})
    signed_in(browser)
    client = RelyingParty.registered(app, database, groups=True, skip_consent=True)

    assert told(client, tokens_for(browser, client)) == (many[:200], many[:200])
    assert browser.session()["user"]["groups"] == many[:200]
    said = [line for line in caplog.messages if "is in 201 groups" in line]
    assert len(said) == number - 200


def test_first_party_applications_learn_of_the_username_alone_unless_the_settings_say_more(anna):
    user = anna.session()["user"]
    claims = decoded(anna.get("/api/auth/token").json["token"], anna)[1]

    assert (user["username"], claims["username"]) == ("anna", "anna")
    assert "groups" not in user
    assert "groups" not in claims
