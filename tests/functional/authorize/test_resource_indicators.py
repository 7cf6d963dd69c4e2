"""Resource indicators: JWT access tokens bound to resources (RFC 8707, RFC 9068)."""

import pytest

from tests.helpers.browser import Browser
from tests.helpers.published_keys import ISSUER, decoded
from tests.helpers.relying_party import AUTHORIZE, RelyingParty
from tests.helpers.resource_file import resource_file

CALENDAR = "https://calendar.example.com/"
FILES = "https://files.example.com/v1"


@pytest.fixture
def app(make_app, tmp_path):
    return make_app(auth__resources=resource_file(tmp_path, CALENDAR, FILES))


@pytest.fixture
def relying_party(app, database):
    return RelyingParty.registered(app, database, resources=[CALENDAR, FILES])


def granted(browser, client, *resources, **changes):
    """Return the code of a request that names resources."""
    return client.sign_in_with(browser, resource=list(resources), **changes)


def tokens_of(browser, client, *resources, **changes):
    answer = client.redeem(granted(browser, client, *resources, **changes))
    assert answer.status_int == 200, answer.json
    return answer.json


def access_claims(answer, client):
    return decoded(answer["access_token"], client.http)[1]


@pytest.mark.requirement("RFC6750-5.3-3", "RFC8707-2-5", "RFC9068-2.1-1", "RFC9068-2.1-3")
@pytest.mark.requirement("RFC9068-2.1-4", "RFC9068-2.2-1", "RFC9068-2.2-2", "RFC9068-2.2-3")
@pytest.mark.requirement("RFC9068-2.2-4", "RFC9068-2.2-5")
@pytest.mark.requirement("RFC9068-3-1")
def test_the_access_token_is_a_jwt_of_its_own_kind(browser, relying_party, turnable_clock):
    tokens = tokens_of(browser, relying_party, CALENDAR)
    header, claims = decoded(tokens["access_token"], relying_party.http)

    now = int(turnable_clock.moment.timestamp())
    assert header["typ"] == "at+jwt"
    assert header["alg"] == "RS256"
    assert len(claims.pop("jti")) >= 16
    assert claims == {
        "iss": ISSUER,
        "sub": "local-developer",
        "aud": CALENDAR,
        "client_id": relying_party.client_id,
        # It has no scopes.
        "scope": "",
        "auth_time": now,
        "iat": now,
        "exp": now + 300,
    }
    assert tokens["token_type"] == "Bearer"
    assert tokens["expires_in"] == 300


@pytest.mark.requirement("RFC9068-2.2-6")
def test_every_token_has_an_id_of_its_own(browser, relying_party):
    tokens = tokens_of(browser, relying_party, CALENDAR)
    newer = relying_party.refresh(tokens["refresh_token"]).json

    assert access_claims(tokens, relying_party)["jti"] != access_claims(newer, relying_party)["jti"]


@pytest.mark.requirement("RFC8707-2-1", "RFC8707-2-5", "RFC8707-2.1-1", "RFC9068-2.2-3")
def test_of_several_resources_the_token_is_for_the_first(browser, relying_party):
    tokens = tokens_of(browser, relying_party, FILES, CALENDAR)

    assert access_claims(tokens, relying_party)["aud"] == FILES


def test_the_same_resource_twice_is_one(browser, relying_party):
    tokens = tokens_of(browser, relying_party, CALENDAR, CALENDAR)

    assert access_claims(tokens, relying_party)["aud"] == CALENDAR


def test_equal_addresses_are_one_resource(app, browser, database):
    other_ways = ["https://CALENDAR.example.com", "HTTPS://files.example.com:443/v1"]
    client = RelyingParty.registered(app, database, resources=other_ways)

    tokens = tokens_of(browser, client, FILES, CALENDAR[:-1], "https://calendar.example.com:443")
    narrowed = client.refresh(tokens["refresh_token"], resource=other_ways[0]).json

    assert access_claims(tokens, client)["aud"] == FILES
    assert access_claims(narrowed, client)["aud"] == CALENDAR


def test_the_id_token_goes_to_the_client_as_ever(browser, relying_party):
    tokens = tokens_of(browser, relying_party, CALENDAR)
    header, claims = decoded(tokens["id_token"], relying_party.http)

    assert header["typ"] == "JWT"
    assert claims["aud"] == relying_party.client_id


@pytest.mark.requirement("RFC8707-2-6")
@pytest.mark.parametrize("resources", [[], [""]])
def test_without_a_resource_the_token_is_opaque(browser, relying_party, resources):
    assert "." not in tokens_of(browser, relying_party, *resources)["access_token"]


@pytest.mark.requirement("RFC8707-2-2", "RFC8707-2-3", "RFC8707-2-4", "RFC8707-2.1-2")
def test_an_unknown_resource_is_an_invalid_target(subtests, browser, relying_party):
    for resource in (
        "https://elsewhere.example.com/",
        CALENDAR.replace("https", "http"),
        CALENDAR.replace("/", ":8443/", 3),
        f"{CALENDAR}?",
        FILES.upper(),
        f"{FILES}/",
        f"{CALENDAR}#part",
        "not a uri",
        ISSUER,
        "http://localhost:37960",
    ):
        for others in ([], [CALENDAR]):
            with subtests.test(resource=resource, others=others):
                answer = relying_party.answer(
                    relying_party.authorize(browser, resource=[*others, resource])
                )

                assert answer["error"] == "invalid_target"
                assert "resource" in answer["error_description"]
                assert (answer["state"], answer["iss"]) == ("opaque state", ISSUER)


@pytest.mark.requirement("RFC8707-2-1")
def test_a_form_sent_to_the_authorization_endpoint_keeps_every_resource(browser, relying_party):
    browser.sign_in()
    form = [*relying_party.request().items(), ("resource", CALENDAR), ("resource", FILES)]

    consent = browser.follow_home(browser.post(AUTHORIZE, form))
    answer = browser.follow_home(consent.forms[0].submit("decision", value="allow"))
    tokens = relying_party.redeem(relying_party.answer(answer)["code"]).json
    others = relying_party.refresh(tokens["refresh_token"], resource=FILES).json

    assert access_claims(tokens, relying_party)["aud"] == CALENDAR
    assert access_claims(others, relying_party)["aud"] == FILES


@pytest.mark.attack("RFC9700-4.10")
@pytest.mark.requirement("RFC8707-2.2-1", "RFC8707-2.2-3", "RFC9068-3-1", "RFC9700-2.3-1")
def test_redeeming_may_narrow_to_one_resource(browser, relying_party):
    code = granted(browser, relying_party, CALENDAR, FILES)

    narrowed = relying_party.redeem(code, resource=FILES).json
    later = relying_party.refresh(narrowed["refresh_token"]).json

    assert access_claims(narrowed, relying_party)["aud"] == FILES
    assert access_claims(later, relying_party)["aud"] == CALENDAR


@pytest.mark.requirement("RFC8707-2.1-1", "RFC8707-2.2-1", "RFC8707-2.2-3", "RFC9068-5-2")
def test_refreshing_may_narrow_each_time_anew(browser, relying_party):
    token = tokens_of(browser, relying_party, CALENDAR, FILES)["refresh_token"]

    for resources, aud in [
        ([FILES], FILES),
        ([CALENDAR], CALENDAR),
        ([], CALENDAR),
        ([FILES, CALENDAR], CALENDAR),
    ]:
        answer = relying_party.refresh(token, resource=resources).json
        token = answer["refresh_token"]
        assert access_claims(answer, relying_party)["aud"] == aud


@pytest.mark.attack("OWASP-OAUTH-8", "FAILURES-5")
@pytest.mark.requirement("RFC8707-2-4", "RFC8707-2.2-2", "RFC9700-4.14.2-3")
def test_what_was_not_granted_is_an_invalid_target_at_the_token_endpoint(
    subtests, browser, relying_party
):
    for granted_resources in ([], [CALENDAR]):
        for requested in ([FILES], [CALENDAR, FILES], ["https://elsewhere.example.com/"]):
            with subtests.test(granted_resources=granted_resources, requested=requested):
                code = granted(browser, relying_party, *granted_resources)

                answer = relying_party.redeem(code, resource=requested)

                assert answer.status_int == 400
                assert answer.json["error"] == "invalid_target"
                assert "the authorization request named" in answer.json["error_description"]
                assert answer.headers["Cache-Control"] == "no-store"


def test_an_invalid_target_on_refresh_spends_nothing(browser, relying_party):
    token = tokens_of(browser, relying_party, CALENDAR)["refresh_token"]

    refused = relying_party.refresh(token, resource=FILES)

    assert refused.json["error"] == "invalid_target"
    assert relying_party.refresh(token).status_int == 200


@pytest.mark.requirement("RFC9068-2.2.1-1")
def test_the_sign_in_is_dated_as_it_was_after_a_refresh(browser, relying_party, turnable_clock):
    tokens = tokens_of(browser, relying_party, CALENDAR)
    first = access_claims(tokens, relying_party)
    turnable_clock.advance(seconds=500)

    second = access_claims(relying_party.refresh(tokens["refresh_token"]).json, relying_party)

    assert second["auth_time"] == first["auth_time"]
    assert second["iat"] == first["iat"] + 500


@pytest.mark.requirement("RFC9068-2.2-5")
def test_a_public_client_gets_them_too(app, database):
    client = RelyingParty.registered(app, database, public=True, resources=[CALENDAR])

    tokens = tokens_of(Browser(app), client, CALENDAR)

    assert access_claims(tokens, client)["client_id"] == client.client_id
