"""The claims parameter: single claims, requested by name (OIDC Core, 5.5)."""

import json

import pytest

from authservice.oauth.id_token import ACR
from tests.helpers.browser import Browser
from tests.helpers.production import sign_in_stranger
from tests.helpers.published_keys import ISSUER, decoded
from tests.helpers.relying_party import RelyingParty

PROFILE = {"name", "given_name", "family_name", "picture", "updated_at"}
EMAIL = {"email", "email_verified"}


def claims(**members):
    """Return a claims parameter that asks for these names and nothing about them."""
    return json.dumps({place: dict.fromkeys(names) for place, names in members.items()})


def tokens_of(browser, client, parameter, scope="openid", **changes):
    code = client.sign_in_with(browser, claims=parameter, scope=scope, **changes)
    return client.redeem(code).json


def about_person(content):
    return set(content) & (PROFILE | EMAIL)


def in_userinfo(client, tokens):
    return about_person(client.userinfo(tokens["access_token"]).json)


def in_id_token(client, tokens):
    return about_person(decoded(tokens["id_token"], client.http)[1])


def refused(client, browser, parameter, **changes):
    return client.answer(client.authorize(browser, claims=parameter, **changes))


@pytest.mark.requirement("OIDC-CORE-5.5-1")
def test_each_claim_can_be_asked_of_userinfo_alone(subtests, browser, relying_party):
    for name in sorted(PROFILE | EMAIL):
        with subtests.test(name=name):
            tokens = tokens_of(browser, relying_party, claims(userinfo=[name]))

            assert in_userinfo(relying_party, tokens) == {name}
            assert in_id_token(relying_party, tokens) == set()


@pytest.mark.requirement("OIDC-CORE-5.5-1")
def test_each_claim_can_be_asked_of_the_id_token_alone(browser, relying_party):
    tokens = tokens_of(browser, relying_party, claims(id_token=["email", "name"]))

    assert in_userinfo(relying_party, tokens) == set()
    assert in_id_token(relying_party, tokens) == {"email", "name"}


@pytest.mark.requirement("OIDC-CORE-5.5-5")
def test_they_come_beside_what_the_scopes_bring(browser, relying_party):
    parameter = claims(userinfo=["name"], id_token=["picture"])
    tokens = tokens_of(browser, relying_party, parameter, scope="openid email")

    assert in_userinfo(relying_party, tokens) == EMAIL | {"name"}
    assert in_id_token(relying_party, tokens) == EMAIL | {"picture"}


@pytest.mark.requirement("OIDC-CORE-5.5-2", "OIDC-CORE-5.5.1-1")
def test_essential_claims_and_wanted_values_are_answered_as_they_are(browser, relying_party):
    wanted = {"userinfo": {"name": {"essential": True, "value": "Somebody Else"}}}
    tokens = tokens_of(browser, relying_party, json.dumps(wanted))

    told = relying_party.userinfo(tokens["access_token"]).json
    assert told == {"sub": "local-developer", "name": "Local Developer"}


@pytest.mark.requirement("OIDC-CORE-5.5-2", "OIDC-CORE-5.5-3")
def test_unknown_claims_and_members_are_passed_over(browser, relying_party):
    wanted = {"userinfo": {"nickname": {"essential": True}}, "elsewhere": {"email": None}}
    tokens = tokens_of(browser, relying_party, json.dumps(wanted))

    assert in_userinfo(relying_party, tokens) == set()


def test_they_come_again_after_a_refresh(browser, relying_party):
    parameter = claims(userinfo=["email"], id_token=["name"])
    tokens = tokens_of(browser, relying_party, parameter, scope="openid offline_access")

    newer = relying_party.refresh(tokens["refresh_token"]).json
    newest = relying_party.refresh(newer["refresh_token"]).json

    assert in_userinfo(relying_party, newest) == {"email"}
    assert in_id_token(relying_party, newest) == {"name"}


def test_they_reach_a_client_with_minimal_id_tokens(app, browser, database):
    client = RelyingParty.registered(app, database, minimal_id_token=True)
    tokens = tokens_of(browser, client, claims(id_token=["email"]), scope="openid profile")

    assert in_id_token(client, tokens) == {"email"}


def test_the_person_is_asked_for_the_scope_that_holds_them(browser, relying_party):
    tokens_of(browser, relying_party, None)

    silent = refused(
        relying_party, browser, claims(userinfo=["email"]), scope="openid", prompt="none"
    )
    page = browser.follow_home(
        relying_party.authorize(browser, claims=claims(userinfo=["email"]), scope="openid")
    )

    assert silent["error"] == "consent_required"
    assert "/consent" in page.request.path
    assert "email" in page.text.lower()


def test_a_consent_to_claims_is_remembered(browser, relying_party):
    tokens_of(browser, relying_party, claims(userinfo=["email"]))

    again = refused(
        relying_party, browser, claims(id_token=["email"]), scope="openid", prompt="none"
    )

    assert "code" in again


def test_claims_outside_the_client_s_scopes_are_ignored(app, browser, database):
    client = RelyingParty.registered(app, database, scopes=("openid", "profile"))

    tokens = tokens_of(browser, client, claims(id_token=["email", "name"]), scope="openid")

    assert in_id_token(client, tokens) == {"name"}


@pytest.mark.requirement("OIDC-CORE-5.5-4")
@pytest.mark.parametrize("text", ["nonsense", "[]", '{"userinfo": ["email"]}'])
def test_another_shape_is_an_invalid_request(browser, relying_party, text):
    answer = refused(relying_party, browser, text)

    assert answer["error"] == "invalid_request"
    assert "claims must be a JSON object" in answer["error_description"]
    assert (answer["state"], answer["iss"]) == ("opaque state", ISSUER)


def test_a_blank_parameter_is_as_good_as_none(browser, relying_party):
    tokens = tokens_of(browser, relying_party, "")

    assert in_userinfo(relying_party, tokens) == set()


def test_the_person_who_is_signed_in_may_be_named(browser, relying_party):
    wanted = json.dumps({"id_token": {"sub": {"value": "local-developer"}}})

    assert "id_token" in tokens_of(browser, relying_party, wanted)


@pytest.mark.requirement("OIDC-CORE-3.1.2.2-3")
@pytest.mark.parametrize("prompt", [None, "none"])
def test_another_person_has_to_sign_in(browser, relying_party, prompt):
    browser.sign_in()
    wanted = json.dumps({"id_token": {"sub": {"value": "somebody-else"}}})

    answer = refused(relying_party, browser, wanted, prompt=prompt)

    assert answer["error"] == "login_required"


@pytest.mark.requirement("OIDC-CORE-3.1.2.2-3")
def test_a_named_person_is_compared_with_who_is_signed_in(app, relying_party, database):
    stranger = sign_in_stranger(Browser(app), app, database)
    wanted = json.dumps({"userinfo": {"sub": {"value": "local-developer"}}})

    assert refused(relying_party, stranger, wanted)["error"] == "login_required"


@pytest.mark.requirement("OIDC-CORE-5.5.1.1-1")
def test_an_essential_acr_that_is_not_reached_is_an_error(browser, relying_party):
    wanted = json.dumps({"id_token": {"acr": {"essential": True, "values": ["gold", "0"]}}})

    answer = refused(relying_party, browser, wanted)

    assert answer["error"] == "unmet_authentication_requirements"
    assert ACR in answer["error_description"]


@pytest.mark.requirement("OIDC-CORE-5.5.1.1-1", "OIDC-CORE-5.5.1.1-2")
@pytest.mark.parametrize(
    "acr",
    [{"essential": True, "values": ["gold", ACR]}, {"essential": True}, {"values": ["gold"]}, None],
)
def test_an_acr_that_is_reached_or_voluntary_is_answered(browser, relying_party, acr):
    tokens = tokens_of(browser, relying_party, json.dumps({"id_token": {"acr": acr}}))

    assert decoded(tokens["id_token"], relying_party.http)[1]["acr"] == ACR


@pytest.mark.requirement("OIDC-CORE-2-11")
def test_an_acr_is_told_only_when_it_is_asked_for(browser, relying_party):
    for parameters, told in (({}, False), ({"acr_values": "gold"}, True), ({}, False)):
        code = relying_party.sign_in_with(browser, **parameters)
        tokens = relying_party.redeem(code).json
        again = relying_party.refresh(tokens["refresh_token"]).json
        for each in (tokens, again):
            claims = decoded(each["id_token"], relying_party.http)[1]
            assert claims.get("acr") == (ACR if told else None)
