"""Scopes of resources: who may ask for them, what people see and decline, what a token has."""

from urllib.parse import parse_qs, urlsplit

import pytest

from tests.helpers.browser import Browser
from tests.helpers.published_keys import decoded
from tests.helpers.relying_party import RelyingParty
from tests.helpers.resource_file import resource_file
from tests.helpers.token_states import INACTIVE, told

NOTES = "https://notes.example.com"
FILES = "https://files.example.com/v1"
DESCRIBED = (
    f"""["{NOTES}"]
name = "Team notes"
published = true
scopes."notes:read" = "Read your notes"
scopes."notes:write" = {{ en = "Change your notes", de = "Deine Notizen ändern" }}
""",
    f"""["{FILES}"]
scopes.files = "See your files"
""",
)
READ, WRITE = "notes:read", "notes:write"
BOTH = f"openid {READ} {WRITE}"
ALL = f"openid profile offline_access {READ} {WRITE} files"


@pytest.fixture
def app(make_app, tmp_path):
    return make_app(auth__resources=resource_file(tmp_path, *DESCRIBED))


@pytest.fixture
def registered(app, database):
    """Return a client that is registered for resources and scopes."""

    def register(*resources, **changes):
        return RelyingParty.registered(app, database, resources=resources, **changes)

    return register


@pytest.fixture
def client(registered):
    return registered(NOTES)


def tokens(browser, client, **changes):
    return client.redeem(client.sign_in_with(browser, **changes)).json


def consent_page(browser, client, **changes):
    browser.sign_in()
    return browser.follow_home(client.authorize(browser, **changes))


def choose(browser, page, *scopes):
    """Untick everything but these scopes, and allow that."""
    page = page.click("Choose what you share")
    for box in page.forms[0].fields["scope"]:
        box.checked = box._value in scopes
    return browser.follow_home(page.forms[0].submit("decision", value="allow-ticked"))


@pytest.mark.attack("TOKENS-unregistered-resource")
@pytest.mark.parametrize(
    ("resources", "scopes", "granted"),
    [
        # Without a scope of a resource, all of its resources; else these alone.
        ([NOTES], None, BOTH),
        ([NOTES, FILES], None, BOTH),
        ([FILES], None, "openid files"),
        ([NOTES], ["openid"], BOTH),
        ([NOTES], [READ], f"openid {READ}"),
        ([NOTES, FILES], ["openid", READ], f"openid {READ}"),
        # A mistyped one opens nothing instead of everything.
        ([NOTES], ["openid", "notes:raed"], "openid"),
        ([NOTES], ["openid", "files"], "openid"),
        ([], None, "openid"),
    ],
)
def test_a_client_gets_what_it_is_registered_for(browser, registered, resources, scopes, granted):
    client = registered(*resources, **({} if scopes is None else {"scopes": scopes}))

    answer = tokens(browser, client, scope=f"{BOTH} files")

    assert answer["scope"] == granted


def test_a_request_for_others_only_is_told_which_there_are(browser, registered):
    for resources, others in (([NOTES], ", nor a scope of the client's resources."), ([], ".")):
        answer = registered(*resources).authorize(browser, scope="files").location

        ours = "openid profile email offline_access"
        assert parse_qs(urlsplit(answer).query)["error_description"] == [
            f"scope holds none of these values: {ours}{others}"
        ]


@pytest.mark.requirement("RFC9068-3-3")
def test_a_scope_asks_for_its_resource(browser, client):
    answer = tokens(browser, client, scope=BOTH)

    assert decoded(answer["access_token"], client.http)[1]["aud"] == NOTES


def test_the_page_has_the_sentences_below_the_name_of_the_resource(browser, client):
    page = consent_page(browser, client, scope=BOTH)

    (resource,) = page.html.select("li:has(.sentences)")
    assert resource.h3.text == "Use Team notes in your name"
    assert [each.text for each in resource.select(".sentences bdi")] == [
        "Read your notes",
        "Change your notes",
    ]


@pytest.mark.requirement("RFC9068-2.2.3-1", "RFC9068-2.2.3-2", "RFC9068-3-2", "RFC8707-2-5")
def test_a_token_is_for_one_resource_and_has_the_scopes_of_that_one(browser, registered):
    client = registered(NOTES, FILES)
    answer = tokens(browser, client, scope=ALL)
    ours = "openid profile offline_access"
    wrong = []
    for request, resource, opened, said in (
        (None, NOTES, f"{READ} {WRITE}", f"{ours} {READ} {WRITE}"),
        ({}, NOTES, f"{READ} {WRITE}", f"{ours} {READ} {WRITE}"),
        ({"resource": FILES}, FILES, "files", f"{ours} files"),
        # Many programs can name a scope only.
        ({"scope": "files"}, FILES, "files", "files"),
        ({"scope": f"{READ} profile"}, NOTES, READ, f"{READ} profile"),
        ({"scope": "openid"}, NOTES, "", "openid"),
        ({"scope": "openid", "resource": FILES}, FILES, "", "openid"),
        ({"scope": ALL, "resource": FILES}, FILES, "files", f"{ours} files"),
        # Several, at once: the first of the authorization request.
        ({"scope": f"files {WRITE}"}, NOTES, WRITE, WRITE),
        ({"resource": [FILES, NOTES]}, NOTES, f"{READ} {WRITE}", f"{ours} {READ} {WRITE}"),
    ):
        if request is not None:
            answer = client.refresh(answer["refresh_token"], **request).json
        claims = decoded(answer["access_token"], client.http)[1]
        known = told(client, answer["access_token"])
        id_token = decoded(answer["id_token"], client.http)[1] if "id_token" in answer else None
        found = [
            (claims["aud"], claims["scope"]),
            (known["aud"], known["scope"]),
            answer["scope"],
            id_token and "name" in id_token,
        ]
        of_person = "profile" in said if "openid" in said else None
        if found != [(resource, opened), (resource, opened), said, of_person]:
            wrong.append((request, found))
    assert not wrong


@pytest.mark.parametrize(
    ("request_", "resource"),
    [
        ({"scope": f"openid files {READ}"}, FILES),
        ({"scope": ALL, "resource": FILES}, FILES),
        ({"scope": "openid files", "resource": NOTES}, NOTES),
    ],
)
def test_the_first_is_that_of_the_authorization_request(browser, registered, request_, resource):
    client = registered(NOTES, FILES)

    answer = tokens(browser, client, **request_)

    assert decoded(answer["access_token"], client.http)[1]["aud"] == resource


def test_scopes_of_another_resource_than_the_one_named_are_refused(browser, registered):
    client = registered(NOTES, FILES)
    token = tokens(browser, client, scope=ALL)["refresh_token"]

    answer = client.refresh(token, scope=READ, resource=FILES)

    assert (answer.status_int, answer.json["error"]) == (400, "invalid_scope")
    assert "only: openid profile offline_access files." in answer.json["error_description"]
    assert client.refresh(token).status_int == 200


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        ("de", ["Read your notes", "Deine Notizen ändern"]),
        ("fr", ["Read your notes", "Change your notes"]),
    ],
)
def test_a_sentence_is_in_the_language_of_the_page_if_there_is_one(
    browser, client, language, sentences
):
    browser.sign_in()
    page = browser.follow_home(client.authorize(browser, scope=BOTH, ui_locales=language))

    shown = [each.text for each in page.html.select(".sentences bdi")]
    assert shown == sentences


def test_each_can_be_declined_and_is_asked_for_again(browser, client):
    answer = client.answer(choose(browser, consent_page(browser, client, scope=BOTH), READ))
    assert client.redeem(answer["code"]).json["scope"] == f"openid {READ}"

    assert "code" in client.answer(client.authorize(browser, scope=f"openid {READ}"))
    assert "/consent" in client.authorize(browser, scope=BOTH).location


@pytest.mark.parametrize("scope", [BOTH, f"{READ} {WRITE}"])
def test_without_openid_they_can_be_declined_too(browser, client, scope):
    page = consent_page(browser, client, scope=scope)

    answer = client.answer(choose(browser, page, WRITE))

    assert READ not in client.redeem(answer["code"]).json["scope"].split()


def test_who_declines_everything_refuses(browser, client):
    page = consent_page(browser, client, scope=f"{READ} {WRITE}")

    assert client.answer(choose(browser, page))["error"] == "access_denied"


@pytest.mark.attack("TOKENS-declined-scope")
@pytest.mark.parametrize("named", [{}, {"resource": [NOTES, FILES]}])
def test_a_resource_of_which_everything_is_declined_gets_no_token(browser, registered, named):
    client = registered(NOTES, FILES)
    asked = {"scope": ALL} | named
    older = tokens(browser, client, **asked)
    narrow = client.refresh(older["refresh_token"], scope="openid").json
    page = browser.follow_home(client.authorize(browser, prompt="consent", **asked))
    answer = client.answer(choose(browser, page, "openid", "offline_access", "files"))

    newer = client.redeem(answer["code"]).json
    assert newer["scope"] == "openid offline_access files"
    for family in (newer, narrow):
        refreshed = client.refresh(family["refresh_token"]).json
        assert decoded(refreshed["access_token"], client.http)[1]["aud"] == FILES
        refused = client.refresh(refreshed["refresh_token"], resource=NOTES).json
        assert refused["error"] == "invalid_target"
    # What had none of its scopes was valid there too.
    for token in (older, narrow):
        assert told(client, token["access_token"]) == INACTIVE
    assert "/consent" in client.authorize(browser, scope="openid", resource=NOTES).location


@pytest.mark.attack("TOKENS-declined-scope")
def test_without_any_resource_left_the_token_is_for_userinfo(browser, client):
    page = consent_page(browser, client, scope=BOTH, resource=NOTES)
    answer = client.answer(choose(browser, page, "openid"))

    redeemed = client.redeem(answer["code"]).json

    assert redeemed["scope"] == "openid"
    assert client.userinfo(redeemed["access_token"]).status_int == 200


@pytest.mark.attack("TOKENS-declined-scope")
def test_nor_is_an_older_refresh_token_good_for_userinfo_then(browser, client):
    asked = {"scope": f"{BOTH} offline_access"}
    token = tokens(browser, client, **asked)["refresh_token"]
    page = browser.follow_home(client.authorize(browser, prompt="consent", **asked))
    choose(browser, page, "openid", "offline_access")

    answer = client.refresh(token)

    assert (answer.status_int, answer.json["error"]) == (400, "invalid_target")
    assert "may still have" in answer.json["error_description"]


def test_a_scope_that_the_file_lost_is_gone_at_the_next_refresh(
    browser, client, make_app, tmp_path
):
    answer = tokens(browser, client, scope=f"{BOTH} offline_access")
    without = DESCRIBED[0].replace(f'scopes."{READ}" = "Read your notes"\n', "")
    client.http = Browser(make_app(auth__resources=resource_file(tmp_path, without)))

    refreshed = client.refresh(answer["refresh_token"]).json

    assert refreshed["scope"] == f"openid {WRITE} offline_access"


def test_the_metadata_names_those_of_published_resources(browser):
    supported = browser.get("/.well-known/oauth-authorization-server/api/auth").json

    assert supported["scopes_supported"][-2:] == [READ, WRITE]
    assert "files" not in supported["scopes_supported"]


def test_the_account_page_says_what_is_allowed(browser, client):
    tokens(browser, client, scope=BOTH)

    page = browser.get("/account")

    assert "Change your notes" in page.text
