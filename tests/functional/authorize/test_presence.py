"""What a fresh sign-in is worth: the provider has to do what it can, and no more is claimed."""

from urllib.parse import parse_qs, urlsplit

import pytest

from tests.helpers.production import production_app, production_browser
from tests.helpers.published_keys import decoded
from tests.helpers.relying_party import RelyingParty


@pytest.fixture
def production(make_app, monkeypatch):
    return production_app(make_app, monkeypatch)


@pytest.mark.attack("FAILURES-fresh-without-asking")
def test_who_must_be_there_is_shown_a_page_by_the_provider(subtests, production, database):
    for parameters, prompt in (
        ({}, None),
        ({"prompt": "consent"}, None),
        ({"prompt": "login"}, ["select_account"]),
        ({"prompt": "consent login"}, ["select_account"]),
        ({"prompt": "select_account"}, ["select_account"]),
        ({"max_age": "0"}, ["select_account"]),
        ({"max_age": "3600"}, ["select_account"]),
    ):
        with subtests.test(parameters=parameters, prompt=prompt):
            client = RelyingParty.registered(production, database)
            person = production_browser(production)
            page = person.follow_home(client.authorize(person, **parameters))

            leaving = person.follow_home(page.forms[0].submit("choice", value="sign-in")).location

            assert leaving.startswith("https://github.com/login/oauth/authorize?")
            assert parse_qs(urlsplit(leaving).query).get("prompt") == prompt


def test_a_request_that_expired_meanwhile_still_leads_to_the_provider(
    production, database, turnable_clock
):
    client = RelyingParty.registered(production, database)
    person = production_browser(production)
    first = person.follow_home(client.authorize(person, prompt="login"))
    turnable_clock.advance(minutes=9)
    # The page is younger than the request that it is about.
    page = person.get(first.request.url)
    turnable_clock.advance(minutes=2)

    answer = page.forms[0].submit("choice", value="sign-in")

    assert answer.status_int == 303


@pytest.mark.attack("FAILURES-fresh-without-asking")
@pytest.mark.parametrize("parameters", [{"prompt": "login"}, {"max_age": "0"}])
def test_no_claim_says_more_than_that_somebody_was_confirmed(
    browser, relying_party, turnable_clock, parameters
):
    browser.sign_in()
    turnable_clock.advance(minutes=1)
    tokens = relying_party.redeem(relying_party.sign_in_with(browser, **parameters)).json
    confirmed = int(turnable_clock.moment.timestamp())
    turnable_clock.advance(minutes=1)
    again = relying_party.refresh(tokens["refresh_token"]).json

    for token in (tokens["id_token"], again["id_token"]):
        claims = decoded(token, browser)[1]
        assert claims["auth_time"] == confirmed
        assert not {"acr", "amr"} & {*claims}
