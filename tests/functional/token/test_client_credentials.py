"""Client credentials: what a machine gets in its own name, and all that it does not."""

import pytest
from sqlalchemy import func, select, update

from authservice.cli import main as authservice
from authservice.models import metadata as tables
from authservice.models import oauth_access_token, oauth_client, oauth_refresh_token
from authservice.services.clients import clients
from tests.helpers.browser import ORIGIN, Browser
from tests.helpers.end_session import ask, is_refusal
from tests.helpers.published_keys import ISSUER, decoded
from tests.helpers.relying_party import AUTHORIZE, USERINFO, RelyingParty
from tests.helpers.resource_file import resource_file
from tests.helpers.token_states import INACTIVE, introspect, revoked, told

NOTES = "https://notes.example.com"
FILES = "https://files.example.com/v1"
PLAIN = "https://plain.example.com/"
RESOURCES = (
    f'["{NOTES}"]\nscopes = {{ "notes:read" = "Read notes", "notes:write" = "Write notes" }}',
    f'["{FILES}"]\ntoken = "opaque"\nscopes = {{ "files:read" = "Read files" }}',
    PLAIN,
)
GRANT = {"grant_type": "client_credentials"}


@pytest.fixture
def app(make_app, tmp_path):
    return make_app(auth__resources=resource_file(tmp_path, *RESOURCES))


@pytest.fixture
def machine(app, database):
    """Register a machine, by default for all resources."""

    def machine(*resources, **registration):
        kind = {"redirect_uris": (), "grant_types": clients.MACHINE, "name": "Backup"}
        named = {"resources": resources or (FILES, NOTES, PLAIN)}
        return RelyingParty.registered(app, database, **(kind | named | registration))

    return machine


@pytest.fixture
def api(app, database):
    """The server of the notes, which may ask about their tokens."""
    kind = {"redirect_uris": (), "grant_types": clients.RESOURCE_SERVER}
    return RelyingParty.registered(app, database, **kind, resources=[NOTES, FILES, PLAIN])


def asked(client, **parameters):
    return client.token_request(GRANT | parameters)


def rows(database):
    counted = (select(func.count()).select_from(table) for table in tables.sorted_tables)
    return [database.reader.scalar(each) for each in counted]


@pytest.mark.requirement("RFC6749-4.4.3-1", "RFC9068-2.2-4")
def test_a_machine_gets_a_token_in_its_own_name(machine, turnable_clock):
    client = machine(NOTES)

    answer = asked(client)

    assert answer.headers["Cache-Control"] == "no-store"
    tokens = answer.json
    assert set(tokens) == {"access_token", "token_type", "expires_in", "scope"}
    assert (tokens["token_type"], tokens["expires_in"]) == ("Bearer", 300)
    assert tokens["scope"] == "notes:read notes:write"
    header, claims = decoded(tokens["access_token"], client.http)
    assert header["typ"] == "at+jwt"
    now = int(turnable_clock.moment.timestamp())
    assert claims.pop("jti")
    assert claims == {
        "iss": ISSUER,
        "sub": client.client_id,
        "client_id": client.client_id,
        "aud": NOTES,
        "scope": "notes:read notes:write",
        "iat": now,
        "exp": now + 300,
    }


@pytest.mark.parametrize(("resource", "seconds"), [(NOTES, 300), (FILES, 3600)])
def test_its_token_is_what_the_resource_takes_and_lives_as_long(
    machine, api, turnable_clock, resource, seconds
):
    client = machine()

    tokens = asked(client, resource=resource).json

    turnable_clock.advance(seconds=seconds - 1)
    answer = told(api, tokens["access_token"])
    issued = int(turnable_clock.moment.timestamp()) - seconds + 1
    assert answer == {
        "active": True,
        "iss": ISSUER,
        "client_id": client.client_id,
        "sub": client.client_id,
        "aud": resource,
        "scope": tokens["scope"],
        "token_type": "Bearer",
        "iat": issued,
        "exp": issued + seconds,
    }
    assert told(client, tokens["access_token"]) == answer
    turnable_clock.advance(seconds=1)
    assert told(api, tokens["access_token"]) == INACTIVE


@pytest.mark.requirement("RFC6749-3.3-3", "RFC8707-2-5", "RFC8707-2-6")
@pytest.mark.requirement("RFC9068-3-2", "RFC9068-3-3", "RFC9068-3-4")
@pytest.mark.parametrize(
    ("sent", "resource", "scope"),
    [
        ({}, FILES, "files:read"),
        ({"scope": "notes:write"}, NOTES, "notes:write"),
        ({"scope": "notes:write notes:read notes:write"}, NOTES, "notes:write notes:read"),
        ({"resource": NOTES}, NOTES, "notes:read notes:write"),
        ({"resource": NOTES, "scope": "notes:read"}, NOTES, "notes:read"),
        ({"resource": f"{NOTES}/"}, NOTES, "notes:read notes:write"),
        ({"resource": PLAIN}, PLAIN, None),
        ({"resource": [PLAIN, NOTES]}, NOTES, "notes:read notes:write"),
        ({"resource": "", "scope": ""}, FILES, "files:read"),
    ],
)
def test_a_token_is_for_one_resource_and_has_its_scopes(machine, api, sent, resource, scope):
    tokens = asked(machine(), **sent).json

    assert tokens.get("scope") == scope
    answer = told(api, tokens["access_token"])
    assert (answer["aud"], answer["scope"]) == (resource, scope or "")


@pytest.mark.attack("TOKENS-machine-scope", "TOKENS-unregistered-resource")
@pytest.mark.requirement("RFC6749-5.2-7", "RFC8707-2-4")
@pytest.mark.parametrize(
    ("sent", "error", "description"),
    [
        (
            {"scope": "openid"},
            "invalid_scope",
            f"scope may hold these values only, for {FILES}: files:read.",
        ),
        (
            {"scope": "notes:read openid"},
            "invalid_scope",
            f"scope may hold these values only, for {NOTES}: notes:read.",
        ),
        (
            {"scope": "notes:read notes:write"},
            "invalid_scope",
            f"scope may hold these values only, for {NOTES}: notes:read.",
        ),
        (
            {"scope": "notes:read files:read"},
            "invalid_scope",
            f"scope may hold these values only, for {FILES}: files:read.",
        ),
        (
            {"resource": FILES, "scope": "notes:read"},
            "invalid_scope",
            f"scope may hold these values only, for {FILES}: files:read.",
        ),
        (
            {"scope": "offline_access files:read"},
            "invalid_scope",
            f"scope may hold these values only, for {FILES}: files:read.",
        ),
        ({"resource": PLAIN}, "invalid_target", f"resource must be {FILES} or {NOTES}."),
        ({"resource": [NOTES, PLAIN]}, "invalid_target", f"resource must be {FILES} or {NOTES}."),
        ({"resource": "notes"}, "invalid_target", f"resource must be {FILES} or {NOTES}."),
        ({"resource": ISSUER}, "invalid_target", f"resource must be {FILES} or {NOTES}."),
    ],
)
def test_what_it_may_not_have_is_refused_and_not_ignored(
    machine, database, sent, error, description
):
    client = machine(FILES, NOTES, scopes=["files:read", "notes:read"])
    before = rows(database)

    answer = asked(client, **sent)

    assert answer.status_int == 400
    assert answer.json == {"error": error, "error_description": description}
    assert rows(database) == before


def test_a_resource_of_which_it_has_no_scope_is_refused(machine):
    client = machine(NOTES, FILES, PLAIN, scopes=["notes:read", "files:typo"])

    assert asked(client).json["scope"] == "notes:read"
    for sent in ({"resource": FILES}, {"resource": FILES, "scope": "files:typo"}):
        assert asked(client, **sent).json == {
            "error": "invalid_scope",
            "error_description": f"The client is registered for no scope of {FILES}.",
        }
    # This one has no scopes at all.
    assert set(asked(client, resource=PLAIN).json) == {"access_token", "token_type", "expires_in"}
    assert asked(client, resource=PLAIN, scope="plain:read").json == {
        "error": "invalid_scope",
        "error_description": f"scope may hold these values only, for {PLAIN}: none.",
    }


def test_a_machine_whose_resources_are_gone_gets_no_token(machine, make_app, tmp_path):
    client = machine(NOTES)
    client.http = Browser(make_app(auth__resources=resource_file(tmp_path, FILES)))

    for sent in ({}, {"resource": NOTES}, {"resource": FILES}):
        assert asked(client, **sent).json == {
            "error": "invalid_target",
            "error_description": "The service has none of the resources that the client is"
            " registered for.",
        }


@pytest.mark.attack("TOKENS-machine")
@pytest.mark.requirement("OAUTH21-4.2-1", "RFC6749-5.2-9")
@pytest.mark.parametrize("public", [False, True])
def test_a_client_that_people_sign_in_to_gets_none(app, database, public):
    client = RelyingParty.registered(app, database, resources=[NOTES], public=public)

    answer = asked(client, resource=NOTES)

    assert (answer.status_int, answer.json) == (
        400,
        {
            "error": "unauthorized_client",
            "error_description": "The client is not registered for this grant: grant_type must be"
            " authorization_code or refresh_token.",
        },
    )


@pytest.mark.attack("TOKENS-machine")
def test_a_client_of_people_gets_none_whatever_is_stored_of_it(app, database):
    client = RelyingParty.registered(app, database, resources=[NOTES])
    # So another server, from which a database may come, stores it of every client.
    stored = ("authorization_code", "client_credentials", "refresh_token")
    with database.transaction() as connection:
        connection.execute(update(oauth_client).values(grant_types=stored))

    assert asked(client, resource=NOTES).json["error"] == "unauthorized_client"
    assert client.refresh("unknown").json["error"] == "invalid_grant"


@pytest.mark.attack("TOKENS-machine")
@pytest.mark.requirement("OAUTH21-4.2-1")
@pytest.mark.parametrize("kind", [clients.MACHINE, clients.RESOURCE_SERVER])
def test_a_client_without_people_needs_its_secret_whatever_is_stored_of_it(machine, database, kind):
    client = machine(NOTES)
    with database.transaction() as connection:
        connection.execute(update(oauth_client).values(public=True, grant_types=kind))
    client.client_secret = None

    answer = asked(client)

    assert (answer.status_int, answer.json["error"]) == (401, "invalid_client")


@pytest.mark.attack("TOKENS-machine")
@pytest.mark.requirement("OAUTH21-4.2-1", "RFC6749-5.2-9")
def test_a_machine_uses_no_grant_of_people(machine, browser, app, database):
    client = machine()
    person = RelyingParty.registered(app, database, resources=[NOTES])
    tokens = person.redeem(person.sign_in_with(browser, resource=NOTES)).json
    code = person.sign_in_with(browser)
    client.redirect_uri, client.verifier = person.redirect_uri, person.verifier

    for answer in (client.redeem(code), client.refresh(tokens["refresh_token"])):
        assert (answer.status_int, answer.json) == (
            400,
            {
                "error": "unauthorized_client",
                "error_description": "The client is not registered for this grant: grant_type must"
                " be client_credentials.",
            },
        )
    assert person.redeem(code).status_int == 200
    assert person.refresh(tokens["refresh_token"]).status_int == 200


@pytest.mark.requirement("OAUTH21-4.2-2")
def test_a_machine_without_its_secret_gets_none(machine):
    client = machine()
    secret = client.client_secret

    for wrong in (None, "", "wrong", f"{secret} "):
        client.client_secret = wrong
        answer = asked(client)
        assert (answer.status_int, answer.json["error"]) == (401, "invalid_client"), wrong


@pytest.mark.attack("TOKENS-machine")
def test_nobody_is_signed_in_to_a_machine(machine, browser, relying_party):
    client = machine()

    request = relying_party.request(client_id=client.client_id)
    page = browser.get(AUTHORIZE, request, expect_errors=True)

    assert page.status_int == 400
    assert "client_id names a resource server or a machine: nobody signs in to it." in page.text
    assert "unauthorized_client" in page.text
    assert "Location" not in page.headers
    browser.sign_in()
    is_refusal(ask(browser, client_id=client.client_id), "client_id names no client known here.")
    named = {"client_id": client.client_id}
    answer = browser.get("/api/auth/oauth2/public-client", named, expect_errors=True)
    assert answer.status_int == 404


@pytest.mark.attack("RFC9700-4.15", "TOKENS-machine")
@pytest.mark.requirement("RFC9700-4.15.1-1")
@pytest.mark.parametrize("resource", [NOTES, FILES])
def test_its_token_opens_nothing_of_a_person(machine, app, resource):
    token = asked(machine(), resource=resource).json["access_token"]
    bearer = {"Authorization": f"Bearer {token}", "Origin": ORIGIN}
    cookies = {"Cookie": f"authservice.session_token={token}; authservice.session_host={token}"}
    http = Browser(app)

    userinfo = http.get(USERINFO, headers=bearer, expect_errors=True)
    assert (userinfo.status_int, userinfo.json) == (
        401,
        {
            "error": "invalid_token",
            "error_description": "The access token is a machine's, and speaks for no person.",
        },
    )
    for headers in (bearer, cookies, bearer | cookies):
        assert http.get("/api/auth/get-session", headers=headers).json is None
        for path in ("token", "list-sessions", "oauth2/get-consents"):
            answer = http.get(f"/api/auth/{path}", headers=headers, expect_errors=True)
            assert answer.status_int == 401, (path, headers)


@pytest.mark.attack("TOKENS-machine")
def test_a_machine_learns_of_no_other_s_tokens(machine, api, browser, app, database):
    client, other = machine(NOTES), machine(NOTES)
    person = RelyingParty.registered(app, database, resources=[NOTES])
    theirs = person.redeem(person.sign_in_with(browser, resource=NOTES)).json

    for token in (
        asked(other).json["access_token"],
        theirs["access_token"],
        theirs["refresh_token"],
    ):
        assert told(client, token) == INACTIVE
        revoked(client, token)
    assert told(person, theirs["refresh_token"])["active"] is True
    assert told(api, theirs["access_token"])["active"] is True


def test_it_takes_its_token_back(machine, api, database):
    client = machine()
    token, kept = (asked(client, resource=NOTES).json["access_token"] for _ in range(2))

    revoked(client, token)

    assert told(api, token) == INACTIVE
    assert told(api, kept)["active"] is True
    for table in (oauth_access_token, oauth_refresh_token):
        assert database.reader.scalar(select(func.count()).select_from(table)) == 1


def test_a_disabled_machine_gets_none_and_its_tokens_are_inactive(machine, api, printed):
    client = machine()
    tokens = [asked(client, resource=each).json["access_token"] for each in (NOTES, FILES)]

    printed(authservice, "clients", "disable", client.client_id)

    answer = asked(client)
    assert (answer.status_int, answer.json["error"]) == (401, "invalid_client")
    assert [told(api, each) for each in tokens] == [INACTIVE, INACTIVE]
    assert introspect(client, tokens[0]).status_int == 401

    printed(authservice, "clients", "enable", client.client_id)
    assert [told(api, each)["active"] for each in tokens] == [True, True]
    printed(authservice, "clients", "delete", client.client_id)
    assert [told(api, each) for each in tokens] == [INACTIVE, INACTIVE]
    assert asked(client).json["error"] == "invalid_client"


def test_all_tokens_end_with_the_sign_out_of_everyone(machine, api, printed):
    client = machine()
    token = asked(client, resource=NOTES).json["access_token"]

    printed(authservice, "sign-out-everyone")

    assert told(api, token) == INACTIVE
    assert asked(client).status_int == 200


@pytest.mark.usefixtures("found_by_commands")
def test_expired_tokens_leave_nothing_behind(machine, database, turnable_clock):
    client = machine()
    before = rows(database)
    for resource in (NOTES, FILES, PLAIN):
        asked(client, resource=resource)
    turnable_clock.advance(days=3)

    authservice(["cleanup"])

    assert rows(database) == before
