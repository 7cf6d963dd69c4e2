"""What becomes of an access token for a resource: who may ask, who refuses it, who ends it."""

import base64
import json

import pytest
from joserfc.errors import BadSignatureError
from sqlalchemy import func, select, update

from authservice.models import oauth_access_token
from authservice.services.tokens import access_tokens
from tests.helpers.browser import ORIGIN, Browser
from tests.helpers.published_keys import ISSUER, decoded
from tests.helpers.relying_party import RelyingParty
from tests.helpers.resource_file import resource_file
from tests.helpers.token_states import INACTIVE, revoked, told

CALENDAR = "https://calendar.example.com/"
FILES = "https://files.example.com/v1"


@pytest.fixture
def plain_app(make_app):
    """The service before its resources are configured, to register their clients with."""
    return make_app()


@pytest.fixture
def calendar(plain_app, database):
    """The resource server that may ask about tokens for the calendar."""
    return RelyingParty.registered(plain_app, database, name="Calendar")


@pytest.fixture
def files(plain_app, database):
    """The resource server that may ask about tokens for files."""
    return RelyingParty.registered(plain_app, database, name="Files")


@pytest.fixture
def app(make_app, calendar, files, tmp_path):
    tables = [
        f'["{CALENDAR}"]\nintrospected_by = ["{calendar.client_id}"]',
        f'["{FILES}"]\nintrospected_by = ["{files.client_id}"]',
    ]
    made = make_app(auth__resources=resource_file(tmp_path, *tables))
    calendar.http, files.http = Browser(made), Browser(made)
    return made


@pytest.fixture
def relying_party(app, database):
    return RelyingParty.registered(app, database, resources=[CALENDAR, FILES])


@pytest.fixture
def tokens(turnable_clock, browser, relying_party):
    return relying_party.redeem(relying_party.sign_in_with(browser, resource=CALENDAR)).json


@pytest.mark.requirement("RFC9068-2.1-2", "RFC9068-4-1")
def test_a_resource_server_verifies_the_token_by_itself(calendar, tokens):
    header, claims = decoded(tokens["access_token"], calendar.http)

    assert header["typ"] == "at+jwt"
    assert claims["iss"] == ISSUER
    assert claims["aud"] == CALENDAR


@pytest.mark.requirement("RFC6749-10.3-1", "RFC6750-5.2-1", "RFC7662-4-3", "RFC9068-2.1-2")
def test_an_altered_token_does_not_verify(calendar, tokens):
    head, body, signature = tokens["access_token"].split(".")
    claims = json.loads(base64.urlsafe_b64decode(body + "=="))
    changed = json.dumps(claims | {"aud": FILES}).encode()
    forged = base64.urlsafe_b64encode(changed).rstrip(b"=").decode()

    with pytest.raises(BadSignatureError):
        decoded(f"{head}.{forged}.{signature}", calendar.http)
    assert told(calendar, f"{head}.{forged}.{signature}") == INACTIVE


def test_its_own_server_may_ask_about_it(calendar, browser, relying_party, tokens):
    _, claims = decoded(tokens["access_token"], calendar.http)

    answer = told(calendar, tokens["access_token"])

    assert answer.pop("active") is True
    assert answer.pop("token_type") == "Bearer"
    assert answer.pop("sid") == browser.session()["session"]["id"]
    assert answer.items() <= claims.items()
    assert answer["client_id"] == relying_party.client_id
    assert answer["aud"] == CALENDAR


def test_the_client_itself_may_ask_too(relying_party, tokens):
    assert told(relying_party, tokens["access_token"])["aud"] == CALENDAR


@pytest.mark.attack("RFC9700-4.9", "RFC6819-4.6.4", "TOKENS-resource")
@pytest.mark.requirement("RFC7662-2.2-2", "RFC7662-2.2-5", "RFC8707-3-1", "RFC9700-4.10.2-1")
def test_another_resource_s_server_learns_nothing(files, tokens):
    assert told(files, tokens["access_token"]) == INACTIVE


@pytest.mark.attack("TOKENS-resource")
def test_where_both_were_granted_each_learns_of_its_own_tokens(
    calendar, files, browser, relying_party
):
    code = relying_party.sign_in_with(browser, resource=[CALENDAR, FILES])
    first = relying_party.redeem(code).json
    second = relying_party.refresh(first["refresh_token"], resource=FILES).json

    assert told(calendar, first["access_token"])["aud"] == CALENDAR
    assert told(files, first["access_token"]) == INACTIVE
    assert told(calendar, second["access_token"]) == INACTIVE
    assert told(files, second["access_token"])["aud"] == FILES


def test_an_older_token_for_both_is_the_first_one_s(
    calendar, files, browser, relying_party, database
):
    code = relying_party.sign_in_with(browser, resource=[CALENDAR, FILES])
    token = relying_party.redeem(code).json["access_token"]
    with database.transaction() as connection:
        connection.execute(update(oauth_access_token).values(resources=None))

    assert told(calendar, token)["aud"] == CALENDAR
    assert told(files, token) == INACTIVE


@pytest.mark.requirement("RFC7662-2.2-5")
def test_no_resource_server_learns_of_opaque_or_refresh_tokens(
    calendar, browser, relying_party, tokens
):
    opaque = relying_party.redeem(relying_party.sign_in_with(browser)).json["access_token"]

    assert told(calendar, opaque) == INACTIVE
    assert told(calendar, tokens["refresh_token"]) == INACTIVE


@pytest.mark.attack("RFC9700-4.9", "TOKENS-resource")
@pytest.mark.requirement("RFC6750-5.3-3", "RFC8707-3-1", "RFC9700-4.10.2-1")
def test_userinfo_refuses_it(relying_party, tokens):
    answer = relying_party.userinfo(tokens["access_token"])

    assert answer.status_int == 401
    assert answer.json["error"] == "invalid_token"
    # Refreshing it, as for one that has expired, would not help.
    assert answer.json["error_description"] == (
        "The access token is for a resource, not for userinfo."
    )


def test_it_has_a_row_that_does_not_hold_it(database, tokens):
    (row,) = database.reader.execute(select(oauth_access_token)).all()

    assert access_tokens.find(database.reader, tokens["access_token"]).resources == (CALENDAR,)
    assert tokens["access_token"] not in repr(tuple(row))


@pytest.mark.requirement("RFC7009-2-2", "RFC7009-2.1-5", "RFC7662-4-2")
def test_its_client_can_revoke_it(calendar, relying_party, tokens):
    revoked(relying_party, tokens["access_token"])

    assert told(calendar, tokens["access_token"]) == INACTIVE
    assert told(relying_party, tokens["refresh_token"])["active"] is True


@pytest.mark.attack("RFC6819-4.6.5")
@pytest.mark.requirement("RFC7009-2.1-4")
def test_a_resource_server_cannot_revoke_it(calendar, tokens):
    revoked(calendar, tokens["access_token"])

    assert told(calendar, tokens["access_token"])["active"] is True


@pytest.mark.requirement("RFC7009-2.1-6")
def test_revoking_the_refresh_token_takes_it_along(calendar, relying_party, tokens):
    revoked(relying_party, tokens["refresh_token"])

    assert told(calendar, tokens["access_token"]) == INACTIVE


@pytest.mark.requirement("RFC7662-4-2")
def test_it_ends_with_the_session(calendar, browser, database, tokens):
    browser.post("/api/auth/sign-out", headers={"Origin": ORIGIN})

    assert told(calendar, tokens["access_token"]) == INACTIVE
    assert database.reader.scalar(select(func.count()).select_from(oauth_access_token)) == 0


@pytest.mark.requirement("RFC6750-5.3-2", "RFC7662-4-1", "RFC9068-2.2-2")
def test_it_expires(calendar, tokens, turnable_clock):
    turnable_clock.advance(seconds=299)
    assert told(calendar, tokens["access_token"])["active"] is True
    turnable_clock.advance(seconds=1)

    assert told(calendar, tokens["access_token"]) == INACTIVE


@pytest.mark.requirement("RFC9068-5-1")
def test_it_is_no_id_token_hint(browser, relying_party, tokens):
    answer = relying_party.answer(
        relying_party.authorize(browser, id_token_hint=tokens["access_token"])
    )

    assert answer["error"] == "invalid_request"
    assert "id_token_hint" in answer["error_description"]
