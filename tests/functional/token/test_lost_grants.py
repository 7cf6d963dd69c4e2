"""What was taken from a client after it was granted: older codes and refresh tokens bring less."""

from functools import partial

import pytest

from authservice.cli import main as authservice
from tests.helpers.browser import Browser
from tests.helpers.published_keys import decoded
from tests.helpers.relying_party import RelyingParty
from tests.helpers.resource_file import resource_file

CALENDAR = "https://calendar.example.com/"
FILES = "https://files.example.com/v1"


@pytest.fixture
def app(make_app, tmp_path):
    return make_app(auth__resources=resource_file(tmp_path, CALENDAR, FILES))


@pytest.fixture
def relying_party(app, database):
    return RelyingParty.registered(app, database, resources=[CALENDAR, FILES])


@pytest.fixture
def keep_scope(printed, relying_party):
    """Leave the client some scopes."""
    return partial(printed, authservice, "clients", "update", relying_party.client_id, "--scope")


@pytest.fixture
def keep_resource(make_app, relying_party, tmp_path):
    """Serve with some resources only."""

    def keep(*resources):
        relying_party.http = Browser(make_app(auth__resources=resource_file(tmp_path, *resources)))

    return keep


def code_for(browser, client, *resources, **changes):
    return client.sign_in_with(browser, resource=list(resources), **changes)


def tokens_for(browser, client, *resources, **changes):
    return client.redeem(code_for(browser, client, *resources, **changes)).json


def audience(answer, client):
    return decoded(answer["access_token"], client.http)[1]["aud"]


@pytest.mark.attack("TOKENS-lost-scope")
@pytest.mark.parametrize("scope", [None, "openid profile email"])
def test_a_refresh_brings_the_scopes_that_the_client_may_still_have(
    browser, relying_party, keep_scope, scope
):
    tokens = tokens_for(browser, relying_party)
    keep_scope("openid profile offline_access")

    answer = relying_party.refresh(tokens["refresh_token"], scope=scope).json

    assert "email" not in answer["scope"].split()
    assert "profile" in answer["scope"].split()
    claims = decoded(answer["id_token"], relying_party.http)[1]
    assert "name" in claims
    assert "email" not in claims
    assert "email" not in relying_party.userinfo(answer["access_token"]).json


@pytest.mark.attack("TOKENS-lost-scope")
def test_a_code_brings_the_scopes_that_the_client_may_still_have(
    browser, relying_party, keep_scope
):
    code = code_for(browser, relying_party)
    keep_scope("openid email")

    answer = relying_party.redeem(code).json

    assert answer["scope"] == "openid email"
    assert "refresh_token" not in answer
    assert "name" not in decoded(answer["id_token"], relying_party.http)[1]


@pytest.mark.attack("TOKENS-lost-scope")
def test_single_claims_go_with_their_scope(browser, relying_party, keep_scope):
    claims = '{"userinfo": {"email": null}, "id_token": {"email": null}}'
    tokens = tokens_for(browser, relying_party, scope="openid offline_access", claims=claims)
    keep_scope("openid profile offline_access")

    answer = relying_party.refresh(tokens["refresh_token"]).json

    assert "email" not in decoded(answer["id_token"], relying_party.http)[1]
    assert set(relying_party.userinfo(answer["access_token"]).json) == {"sub"}


@pytest.mark.attack("TOKENS-lost-scope")
def test_what_the_client_gets_back_its_refresh_tokens_bring_again(
    browser, relying_party, keep_scope
):
    tokens = tokens_for(browser, relying_party)
    keep_scope("openid offline_access")
    narrow = relying_party.refresh(tokens["refresh_token"]).json
    keep_scope("openid profile email offline_access")

    wide = relying_party.refresh(narrow["refresh_token"]).json

    assert narrow["scope"] == "openid offline_access"
    assert wide["scope"] == tokens["scope"]


@pytest.mark.attack("TOKENS-lost-scope")
def test_a_scope_that_is_lost_and_asked_for_alone_is_an_invalid_scope(
    browser, relying_party, keep_scope
):
    tokens = tokens_for(browser, relying_party)
    keep_scope("openid profile offline_access")

    answer = relying_party.refresh(tokens["refresh_token"], scope="email")

    assert (answer.status_int, answer.json["error"]) == (400, "invalid_scope")
    assert "openid profile offline_access" in answer.json["error_description"]
    assert relying_party.refresh(tokens["refresh_token"]).status_int == 200


@pytest.mark.attack("TOKENS-lost-scope")
@pytest.mark.parametrize("left", ["openid profile email", "openid"])
def test_without_offline_access_nothing_is_refreshed(browser, relying_party, keep_scope, left):
    tokens = tokens_for(browser, relying_party)
    keep_scope(left)

    answer = relying_party.refresh(tokens["refresh_token"])

    assert (answer.status_int, answer.json["error"]) == (400, "invalid_grant")
    assert "offline_access" in answer.json["error_description"]
    keep_scope(f"{left} offline_access")
    assert relying_party.refresh(tokens["refresh_token"]).status_int == 200


@pytest.mark.attack("TOKENS-lost-scope")
def test_a_code_of_which_nothing_is_left_is_refused(browser, relying_party, keep_scope):
    code = code_for(browser, relying_party, scope="email")
    keep_scope("openid")

    answer = relying_party.redeem(code)

    assert (answer.status_int, answer.json["error"]) == (400, "invalid_grant")
    assert "No scope of this grant" in answer.json["error_description"]


@pytest.mark.attack("TOKENS-lost-scope")
def test_tokens_are_for_the_resources_that_the_service_still_has(
    browser, relying_party, keep_resource
):
    tokens = tokens_for(browser, relying_party, CALENDAR, FILES)
    code = code_for(browser, relying_party, CALENDAR, FILES)
    keep_resource(CALENDAR)

    assert audience(relying_party.redeem(code).json, relying_party) == CALENDAR
    refreshed = relying_party.refresh(tokens["refresh_token"]).json
    assert audience(refreshed, relying_party) == CALENDAR


@pytest.mark.attack("TOKENS-lost-scope")
def test_a_resource_that_the_service_no_longer_has_is_an_invalid_target(
    subtests, browser, relying_party, keep_resource
):
    for resources in ([], [FILES], [CALENDAR, FILES]):
        with subtests.test(resources=resources):
            granted = [*resources] or [FILES]
            tokens = tokens_for(browser, relying_party, *granted)
            code = code_for(browser, relying_party, *granted)
            keep_resource(CALENDAR)

            for answer in (
                relying_party.refresh(tokens["refresh_token"], resource=resources),
                relying_party.redeem(code, resource=resources),
            ):
                assert (answer.status_int, answer.json["error"]) == (400, "invalid_target")
                assert "may still have" in answer.json["error_description"]
            keep_resource(CALENDAR, FILES)
            assert relying_party.refresh(tokens["refresh_token"]).status_int == 200
