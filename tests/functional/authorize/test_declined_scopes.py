"""What a person declines later: gone from what the client holds, and no session ends by it."""

import pytest
from sqlalchemy import delete

from authservice.models import oauth_consent
from tests.helpers.browser import ORIGIN, Browser
from tests.helpers.published_keys import decoded
from tests.helpers.relying_party import RelyingParty
from tests.helpers.resource_file import resource_file
from tests.helpers.token_states import INACTIVE, told

CALENDAR = "https://calendar.example.com/"


@pytest.fixture
def app(make_app, tmp_path):
    table = f'["{CALENDAR}"]\nscopes.read = "Read your calendar"\nscopes.write = "Change it"'
    return make_app(auth__resources=resource_file(tmp_path, table))


@pytest.fixture
def relying_party(app, database):
    return RelyingParty.registered(app, database, resources=[CALENDAR])


@pytest.fixture
def other_device(app):
    return Browser(app)


def tokens_of(browser, client, **changes):
    return client.redeem(client.sign_in_with(browser, **changes)).json


def decline(browser, client, *declined, **changes):
    """Have the client ask again, and take the ticks from some scopes."""
    page = browser.follow_home(client.authorize(browser, prompt="consent", **changes))
    page = page.click("Choose what you share")
    for box in page.forms[0].fields["scope"]:
        box.checked = box._value not in declined
    return browser.follow_home(page.forms[0].submit("decision", value="allow-ticked"))


@pytest.mark.attack("TOKENS-declined-scope", "FAILURES-25")
@pytest.mark.parametrize("scope", [None, "openid profile email"])
def test_an_older_refresh_token_brings_it_no_longer(browser, other_device, relying_party, scope):
    tokens = tokens_of(other_device, relying_party)
    decline_after_signing_in(browser, relying_party, "email")

    answer = relying_party.refresh(tokens["refresh_token"], scope=scope).json

    assert "email" not in answer["scope"].split()
    assert "profile" in answer["scope"].split()
    claims = decoded(answer["id_token"], relying_party.http)[1]
    assert "name" in claims
    assert "email" not in claims
    assert "email" not in relying_party.userinfo(answer["access_token"]).json


def decline_after_signing_in(browser, client, *declined, **changes):
    browser.sign_in()
    return decline(browser, client, *declined, **changes)


@pytest.mark.attack("TOKENS-declined-scope")
def test_access_tokens_that_hold_it_are_gone_and_others_are_not(
    browser, other_device, relying_party
):
    holding = tokens_of(other_device, relying_party)
    narrow = relying_party.refresh(holding["refresh_token"], scope="openid profile").json
    decline_after_signing_in(browser, relying_party, "email")

    assert relying_party.userinfo(holding["access_token"]).status_int == 401
    assert told(relying_party, holding["access_token"]) == INACTIVE
    assert relying_party.userinfo(narrow["access_token"]).status_int == 200


@pytest.mark.attack("TOKENS-declined-scope")
def test_so_are_those_for_a_resource(browser, other_device, relying_party):
    asked = {"scope": "openid email read write offline_access"}
    holding = tokens_of(other_device, relying_party, **asked)
    narrow = relying_party.refresh(holding["refresh_token"], scope="read").json
    # A token for the calendar opens no address.
    decline_after_signing_in(browser, relying_party, "email", "write", **asked)

    assert told(relying_party, holding["access_token"]) == INACTIVE
    assert told(relying_party, narrow["access_token"])["scope"] == "read"
    refreshed = relying_party.refresh(narrow["refresh_token"]).json
    assert decoded(refreshed["access_token"], relying_party.http)[1]["scope"] == "read"
    assert refreshed["scope"] == "openid read offline_access"


@pytest.mark.attack("TOKENS-declined-scope")
def test_so_are_those_with_single_claims_of_it(browser, other_device, relying_party):
    parameters = {"scope": "openid offline_access", "claims": '{"userinfo": {"email": null}}'}
    holding = tokens_of(other_device, relying_party, **parameters)
    decline_after_signing_in(browser, relying_party, "email", **parameters)

    assert relying_party.userinfo(holding["access_token"]).status_int == 401
    refreshed = relying_party.refresh(holding["refresh_token"]).json
    assert set(relying_party.userinfo(refreshed["access_token"]).json) == {"sub"}


@pytest.mark.attack("TOKENS-declined-scope")
def test_an_older_code_brings_what_is_left(browser, other_device, relying_party):
    code = relying_party.sign_in_with(other_device)
    decline_after_signing_in(browser, relying_party, "email")

    answer = relying_party.redeem(code).json

    assert answer["scope"] == "openid profile offline_access"
    assert "email" not in decoded(answer["id_token"], relying_party.http)[1]


@pytest.mark.attack("TOKENS-declined-scope")
def test_who_may_not_stay_connected_refreshes_nothing(browser, other_device, relying_party):
    tokens = tokens_of(other_device, relying_party)
    decline_after_signing_in(browser, relying_party, "offline_access")

    answer = relying_party.refresh(tokens["refresh_token"])

    assert (answer.status_int, answer.json["error"]) == (400, "invalid_grant")
    assert "offline_access" in answer.json["error_description"]


@pytest.mark.attack("TOKENS-declined-scope")
def test_a_refresh_token_without_a_consent_is_refused(browser, relying_party, database):
    tokens = tokens_of(browser, relying_party)
    with database.transaction() as connection:
        connection.execute(delete(oauth_consent))

    answer = relying_party.refresh(tokens["refresh_token"])

    assert (answer.status_int, answer.json["error"]) == (400, "invalid_grant")
    assert "consent" in answer.json["error_description"]


def test_other_devices_stay_signed_in(browser, other_device, relying_party):
    tokens = tokens_of(other_device, relying_party)
    decline_after_signing_in(browser, relying_party, "email")

    assert other_device.session() is not None
    refreshed = relying_party.refresh(tokens["refresh_token"]).json
    assert relying_party.refresh(refreshed["refresh_token"]).status_int == 200
    headers = {"Origin": ORIGIN}
    assert len(browser.get("/api/auth/list-sessions", headers=headers).json) == 2


def test_what_is_allowed_again_comes_back(browser, relying_party):
    tokens = tokens_of(browser, relying_party)
    decline(browser, relying_party, "email")
    narrow = relying_party.refresh(tokens["refresh_token"]).json
    decline(browser, relying_party)

    assert narrow["scope"] == "openid profile offline_access"
    assert relying_party.refresh(narrow["refresh_token"]).json["scope"] == tokens["scope"]


def test_other_applications_and_people_keep_what_they_have(app, browser, relying_party, database):
    other = RelyingParty.registered(app, database)
    tokens = tokens_of(browser, other)
    decline(browser, relying_party, "email")

    assert "email" in other.userinfo(tokens["access_token"]).json
    assert other.refresh(tokens["refresh_token"]).json["scope"] == tokens["scope"]


def test_a_client_that_need_not_ask_gets_what_its_operator_allows(app, browser, database):
    trusted = RelyingParty.registered(app, database, skip_consent=True)
    tokens = tokens_of(browser, trusted)

    assert trusted.refresh(tokens["refresh_token"]).json["scope"] == tokens["scope"]


@pytest.mark.attack("TOKENS-declined-scope")
def test_where_declining_would_not_last_it_is_not_offered(app, browser, database):
    trusted = RelyingParty.registered(app, database, skip_consent=True)
    tokens = tokens_of(browser, trusted)

    page = browser.follow_home(trusted.authorize(browser, prompt="consent"))

    assert "Choose what you share" not in page
    allowed = browser.follow_home(page.forms[0].submit("decision", value="allow"))
    assert trusted.redeem(trusted.answer(allowed)["code"]).json["scope"] == tokens["scope"]
