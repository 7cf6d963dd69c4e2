"""What becomes of an access token for a resource: who may ask, who refuses it, who ends it."""

import base64
import json

import pytest
from joserfc.errors import BadSignatureError
from sqlalchemy import func, select, update

from authservice.cli import main as authservice
from authservice.models import oauth_access_token
from authservice.services.clients import clients
from authservice.services.tokens import access_tokens
from tests.helpers.browser import ORIGIN, Browser
from tests.helpers.end_session import ask, is_refusal
from tests.helpers.published_keys import ISSUER, decoded
from tests.helpers.relying_party import AUTHORIZE, TOKEN, RelyingParty
from tests.helpers.resource_file import resource_file
from tests.helpers.token_states import INACTIVE, REVOKE, revoked, told

CALENDAR = "https://calendar.example.com/"
FILES = "https://files.example.com/v1"


@pytest.fixture
def plain_app(make_app):
    """The service before its resources are configured, to register their clients with."""
    return make_app()


@pytest.fixture
def resource_server(plain_app, database):
    """Register an API, which is no client in any other way."""
    api = {"redirect_uris": (), "grant_types": clients.RESOURCE_SERVER}
    return lambda **registration: RelyingParty.registered(
        plain_app, database, **(api | registration)
    )


@pytest.fixture
def calendar(resource_server):
    """The resource server of the calendar, whose address it has in another spelling."""
    return resource_server(resources=["https://calendar.example.com"])


@pytest.fixture
def files(plain_app, database):
    """The client that the settings allow to ask about tokens for files."""
    return RelyingParty.registered(plain_app, database, name="Files")


@pytest.fixture
def app(make_app, calendar, files, tmp_path):
    table = f'["{FILES}"]\nintrospected_by = ["{files.client_id}"]'
    made = make_app(auth__resources=resource_file(tmp_path, CALENDAR, table))
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
def test_a_client_learns_nothing_of_others_tokens_for_its_resource(app, database, tokens):
    client = RelyingParty.registered(app, database, resources=[CALENDAR])

    assert told(client, tokens["access_token"]) == INACTIVE


@pytest.mark.requirement("RFC7662-2.2-5")
def test_of_a_resource_that_it_has_lost_a_resource_server_learns_nothing(calendar, tokens, printed):
    printed(authservice, "clients", "update", calendar.client_id, "--resource", FILES)

    assert told(calendar, tokens["access_token"]) == INACTIVE


def test_the_settings_may_name_a_resource_server_too(resource_server, make_app, tokens, tmp_path):
    server = resource_server(resources=[FILES])
    table = f'["{CALENDAR}"]\nintrospected_by = ["{server.client_id}"]'
    server.http = Browser(make_app(auth__resources=resource_file(tmp_path, table)))

    assert told(server, tokens["access_token"])["aud"] == CALENDAR


@pytest.mark.attack("TOKENS-resource-server")
@pytest.mark.requirement("RFC6749-5.2-9")
@pytest.mark.parametrize(
    ("path", "form"),
    [
        (TOKEN, {"grant_type": "authorization_code"}),
        (TOKEN, {"grant_type": "refresh_token"}),
        (TOKEN, {"grant_type": "client_credentials"}),
        (REVOKE, {}),
    ],
)
def test_a_resource_server_may_do_nothing_else(
    calendar, browser, relying_party, tokens, path, form
):
    code = relying_party.sign_in_with(browser)
    sent = form | {
        "code": code,
        "redirect_uri": relying_party.redirect_uri,
        "code_verifier": relying_party.verifier,
        "refresh_token": tokens["refresh_token"],
        "token": tokens["access_token"],
    }

    answer = calendar.http.post(path, sent, headers=calendar.credentials(), expect_errors=True)

    assert (answer.status_int, answer.json) == (
        400,
        {
            "error": "unauthorized_client",
            "error_description": "The client is a resource server: it may introspect tokens,"
            " nothing else.",
        },
    )
    assert told(calendar, tokens["access_token"])["active"] is True
    assert relying_party.redeem(code).status_int == 200
    assert relying_party.refresh(tokens["refresh_token"]).status_int == 200


@pytest.mark.attack("TOKENS-resource-server")
def test_nobody_is_signed_in_to_a_resource_server(calendar, browser, relying_party):
    request = relying_party.request(client_id=calendar.client_id)

    page = browser.get(AUTHORIZE, request, expect_errors=True)

    assert page.status_int == 400
    assert "client_id names a resource server or a machine: nobody signs in to it." in page.text
    assert "unauthorized_client" in page.text
    assert "Location" not in page.headers


@pytest.mark.attack("TOKENS-resource-server")
def test_no_page_asks_in_the_name_of_a_resource_server(calendar, browser):
    browser.sign_in()

    is_refusal(ask(browser, client_id=calendar.client_id), "client_id names no client known here.")
    named = {"client_id": calendar.client_id}
    answer = browser.get("/api/auth/oauth2/public-client", named, expect_errors=True)
    assert answer.status_int == 404


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
def test_who_may_ask_about_it_cannot_revoke_it(files, browser, relying_party):
    code = relying_party.sign_in_with(browser, resource=FILES)
    token = relying_party.redeem(code).json["access_token"]

    revoked(files, token)

    assert told(files, token)["active"] is True


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
