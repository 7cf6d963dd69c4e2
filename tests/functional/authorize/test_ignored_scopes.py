"""Scopes that a client asks for and may not have: ignored, at authorization and at each refresh."""

import logging
from functools import partial

import pytest

from authservice.cli import main as authservice
from tests.helpers.relying_party import RelyingParty

GRANTED = "openid profile email offline_access"


@pytest.fixture
def published(browser):
    """Everything that the metadata lists, as programs ask for that know no better."""
    answer = browser.get("/api/auth/.well-known/openid-configuration")
    return " ".join(answer.json["scopes_supported"])


@pytest.fixture
def ignored(caplog):
    """Return what the last tokens were issued without, as the log says."""
    caplog.set_level(logging.INFO, "authservice.events")

    def last():
        events = [record.event for record in caplog.records if hasattr(record, "event")]
        return [event for event in events if event.name == "token_issued"][-1].ignored_scope

    return last


@pytest.fixture
def update_client(printed, relying_party):
    return partial(printed, authservice, "clients", "update", relying_party.client_id)


def tokens_for(browser, client, **changes):
    return client.redeem(client.sign_in_with(browser, **changes)).json


@pytest.mark.requirement("RFC6749-3.3-2", "RFC6749-3.3-4", "OIDC-CORE-3.1.2.1-18")
def test_a_client_that_asks_for_everything_gets_what_it_may_have(
    browser, relying_party, published, ignored
):
    assert "groups" in published.split()

    tokens = tokens_for(browser, relying_party, scope=f"notes:read {published} notes:read")

    assert tokens["scope"] == GRANTED
    assert ignored() == "groups notes:read"
    assert relying_party.userinfo(tokens["access_token"]).status_int == 200


def test_the_person_is_asked_for_nothing_else(browser, relying_party):
    page = browser.follow_home(relying_party.authorize(browser, scope="openid email notes:read"))
    page = browser.follow_home(browser.press(page, choice="sign-in"))

    assert [code.text for code in page.html.select("ul.scopes code")] == ["openid", "email"]


def test_less_is_registered_than_is_asked_for(app, browser, database, ignored):
    client = RelyingParty.registered(app, database, scopes=("openid", "email"))

    assert tokens_for(browser, client, scope=GRANTED)["scope"] == "openid email"
    assert ignored() == "profile offline_access"


@pytest.mark.requirement("RFC6749-3.3-4")
def test_what_was_asked_for_and_not_granted_is_left_out_at_each_refresh(
    browser, relying_party, update_client, ignored
):
    asked = f"{GRANTED} groups notes:read"
    tokens = tokens_for(browser, relying_party, scope=asked)
    # Registered for it since, the client has to ask the person.
    update_client("--groups")

    for _ in range(2):
        tokens = relying_party.refresh(tokens["refresh_token"], scope=asked).json
        assert tokens["scope"] == GRANTED
    assert ignored() == "notes:read"


def test_what_the_person_declined_is_left_out_at_each_refresh(browser, relying_party):
    page = browser.follow_home(relying_party.authorize(browser))
    page = browser.follow_home(browser.press(page, choice="sign-in"))
    page = page.click("Choose what you share")
    for box in page.forms[0].fields["scope"]:
        box.checked = box._value != "email"
    answer = browser.follow_home(page.forms[0].submit("decision", value="allow-ticked"))
    tokens = relying_party.redeem(relying_party.answer(answer)["code"]).json

    # Allowed meanwhile, in another sign-in.
    tokens_for(browser, relying_party)

    refreshed = relying_party.refresh(tokens["refresh_token"], scope=GRANTED).json
    assert refreshed["scope"] == "openid profile offline_access"
    alone = relying_party.refresh(refreshed["refresh_token"], scope="email").json
    assert alone["error"] == "invalid_scope"


def test_what_this_grant_never_asked_for_is_refused_beside_what_is_ignored(browser, relying_party):
    tokens = tokens_for(browser, relying_party, scope="openid offline_access notes:read")

    answer = relying_party.refresh(tokens["refresh_token"], scope="openid notes:read email")

    assert answer.json["error"] == "invalid_scope"
    assert relying_party.refresh(tokens["refresh_token"]).status_int == 200


def test_the_log_is_told_of_a_part_of_very_many(browser, relying_party, ignored):
    many = " ".join(f"{number:x>100}" for number in range(100))

    tokens = tokens_for(browser, relying_party, scope=f"{many} openid groups")

    assert tokens["scope"] == "openid"
    assert ignored().startswith("groups ")
    assert len(ignored()) < 700
