"""What the file of resources decides about access tokens: their kind, and how long they live."""

import pytest

from tests.helpers.browser import Browser
from tests.helpers.published_keys import decoded
from tests.helpers.relying_party import RelyingParty
from tests.helpers.resource_file import resource_file
from tests.helpers.token_states import INACTIVE, told

NOTES = "https://notes.example.com"
FILES = "https://files.example.com/v1"
ONLINE = "openid profile"
OFFLINE = f"{ONLINE} offline_access"


@pytest.fixture
def server(make_app, database):
    """The server of the notes, which may ask about their tokens."""
    return RelyingParty.registered(make_app(), database, name="Notes")


@pytest.fixture
def served(make_app, database, tmp_path, server):
    """Serve with the notes as described; return a browser, and a client for all resources."""

    def serve(members, **settings):
        notes = f'["{NOTES}"]\nintrospected_by = ["{server.client_id}"]\n{members}'
        app = make_app(auth__resources=resource_file(tmp_path, notes, FILES), **settings)
        server.http = Browser(app)
        return Browser(app), RelyingParty.registered(app, database, resources=[NOTES, FILES])

    return serve


@pytest.mark.requirement("RFC6750-5.3-2", "RFC6749-5.1-3")
@pytest.mark.parametrize(
    ("members", "scope", "general", "seconds"),
    [
        ("", OFFLINE, 3600, 300),
        ("", ONLINE, 3600, 3600),
        ("", OFFLINE, 120, 120),
        ("access_token = 900", OFFLINE, 3600, 900),
        ("access_token = 900", ONLINE, 120, 900),
        ('token = "opaque"', OFFLINE, 3600, 3600),
        ('token = "opaque"\naccess_token = 60', ONLINE, 3600, 60),
    ],
)
def test_a_token_lives_as_long_as_its_resource_lets_it(
    served, server, turnable_clock, members, scope, general, seconds
):
    browser, client = served(members, lifetimes__access_token=str(general))
    asked = {"resource": NOTES, "scope": scope}
    answers = [client.redeem(client.sign_in_with(browser, **asked)).json]
    if scope == OFFLINE:
        answers.append(client.refresh(answers[0]["refresh_token"]).json)

    for answer in answers:
        assert answer["expires_in"] == seconds
        if "opaque" not in members:
            _, claims = decoded(answer["access_token"], client.http)
            assert claims["exp"] - claims["iat"] == seconds
    turnable_clock.advance(seconds=seconds - 1)
    assert [told(server, each["access_token"])["aud"] for each in answers] == [NOTES] * len(answers)
    turnable_clock.advance(seconds=1)
    assert [told(server, each["access_token"]) for each in answers] == [INACTIVE] * len(answers)


@pytest.mark.attack("TOKENS-resource")
def test_an_opaque_token_says_nothing_and_is_for_its_resource_alone(served, server):
    browser, client = served('token = "opaque"')

    token = client.redeem(client.sign_in_with(browser, resource=NOTES)).json["access_token"]

    assert len(token) == 43
    assert told(server, token)["aud"] == NOTES
    assert client.userinfo(token).status_int == 401


def test_of_several_each_gets_its_own_kind(served):
    browser, client = served('token = "opaque"\naccess_token = 120')

    notes = client.redeem(client.sign_in_with(browser, resource=[NOTES, FILES])).json
    files = client.refresh(notes["refresh_token"], resource=FILES).json

    assert (notes["expires_in"], files["expires_in"]) == (120, 300)
    assert "." not in notes["access_token"]
    assert decoded(files["access_token"], client.http)[1]["aud"] == FILES


@pytest.mark.requirement("RFC6749-4.1.2-3")
def test_a_code_is_remembered_as_long_as_a_token_of_a_resource_lives(
    served, server, turnable_clock
):
    browser, client = served("access_token = 3600", lifetimes__access_token="60")
    code = client.sign_in_with(browser, resource=NOTES, scope=ONLINE)
    token = client.redeem(code).json["access_token"]
    turnable_clock.advance(seconds=3599)
    assert told(server, token)["active"] is True

    assert client.redeem(code).json["error"] == "invalid_grant"

    assert told(server, token) == INACTIVE
