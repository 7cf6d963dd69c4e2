"""Tokens of local mode: those that the service issues, and such as it never would."""

import base64
import json
import math

import pytest
from joserfc.errors import JoseError

from authservice import clock
from tests.helpers.browser import Browser
from tests.helpers.published_keys import decoded
from tests.helpers.relying_party import RelyingParty
from tests.helpers.resource_file import resource_file

ISSUER = "http://localhost:37960/api/auth"
DEVELOPER = "local-developer"
KINDS = {
    "id_token": "JWT",
    "access_token": "at+jwt",
    "logout_token": "logout+jwt",
    "session_jwt": "session+jwt",
}


@pytest.fixture
def ask(control, browser, relying_party):
    """Ask for a token of the developer, who is signed in, for a client; return it."""
    browser.sign_in()
    wanted = {"person": DEVELOPER, "client_id": relying_party.client_id}

    def run(kind, **changes):
        return control.post("tokens", wanted | {"kind": kind} | changes)["token"]

    return run


def parts_of(token):
    return [
        json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
        for part in token.split(".")[:2]
    ]


def introspected(party, token):
    headers = party.credentials()
    return party.http.post("/api/auth/oauth2/introspect", {"token": token}, headers=headers).json


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_not_changed_is_as_the_service_issues_it(ask, kind, browser, relying_party):
    now = clock.now().timestamp()

    header, claims = decoded(ask(kind), browser)

    assert (header["typ"], header["alg"]) == (KINDS[kind], "RS256")
    assert claims["sub"] == DEVELOPER
    assert abs(claims["iat"] - now) < 60
    assert claims["exp"] > claims["iat"]
    assert claims["iss"] == (ISSUER if kind != "session_jwt" else "http://localhost:37960")


def test_they_know_username_and_groups(control, browser, app, database):
    control.put("persons/anna", {"username": "anna-a", "groups": ["staff"]})
    client = RelyingParty.registered(app, database, groups=True)

    def claims(kind):
        wanted = {"kind": kind, "person": "anna", "client_id": client.client_id}
        return decoded(control.post("tokens", wanted)["token"], browser)[1]

    assert claims("id_token")["preferred_username"] == "anna-a"
    assert claims("id_token")["groups"] == ["staff"]
    assert claims("access_token")["scope"].endswith(" groups")
    assert claims("session_jwt")["username"] == "anna-a"


def test_an_id_token_has_the_claims_of_one_that_was_redeemed(ask, browser, relying_party):
    redeemed = relying_party.redeem(relying_party.sign_in_with(browser, nonce=None)).json
    _, real = decoded(redeemed["id_token"], browser)

    _, claims = decoded(ask("id_token"), browser)

    # There is no access token beside it.
    assert set(claims) == set(real) - {"at_hash"}
    for name in set(claims) - {"iat", "exp"}:
        assert claims[name] == real[name]


def test_a_logout_token_and_an_access_token_are_for_the_client(ask, browser, relying_party):
    _, logout = decoded(ask("logout_token"), browser)
    _, access = decoded(ask("access_token"), browser)

    assert logout["aud"] == access["client_id"] == relying_party.client_id
    assert logout["events"] == {"http://schemas.openid.net/event/backchannel-logout": {}}
    assert logout["sid"] == browser.session()["session"]["id"]
    assert access["aud"] == ISSUER
    assert access["scope"] == "openid profile email offline_access"


def test_an_access_token_is_for_one_resource_of_the_client(make_app, database, control, tmp_path):
    opaque, one, two, other = (f"https://{each}.example.com" for each in ("o", "one", "two", "n"))
    tables = [f'["{opaque}"]\ntoken = "opaque"', one, f'["{two}"]\nscopes.read = "Read"', other]
    app = make_app(auth__resources=resource_file(tmp_path, *tables))
    Browser(app).sign_in()
    party = RelyingParty.registered(app, database, resources=[opaque, one, two])
    wanted = {"kind": "access_token", "person": DEVELOPER, "client_id": party.client_id}
    control = type(control)(app)

    for named, aud, scope in (({}, one, ""), ({"resource": two}, two, "read")):
        token = control.post("tokens", wanted | named)["token"]
        claims = decoded(token, party.http)[1]
        assert (claims["aud"], claims["scope"]) == (aud, scope)
        described = introspected(party, token)
        assert (described["aud"], described["scope"]) == (aud, scope)
    for kind, resource, allowed in (
        ("access_token", other, [one, two]),
        ("access_token", opaque, [one, two]),
        ("id_token", one, []),
        ("session_jwt", one, []),
    ):
        answer = control.ask("POST", "tokens", wanted | {"kind": kind, "resource": resource})
        assert answer.status_int == 400
        assert (answer.json["field"], answer.json["allowed"]) == ("resource", allowed)


def test_it_is_signed_as_the_client_was_registered(control, app, database):
    Browser(app).sign_in()
    party = RelyingParty.registered(app, database, id_token_signed_response_alg="EdDSA")
    wanted = {"kind": "id_token", "person": DEVELOPER, "client_id": party.client_id}

    for sign in ("current", "broken", "unknown"):
        token = control.post("tokens", wanted | {"sign": sign})["token"]
        assert parts_of(token)[0]["alg"] == "EdDSA"


@pytest.mark.parametrize("kind", KINDS)
def test_claims_are_set_and_removed(ask, kind, browser):
    _, before = decoded(ask(kind), browser)
    change = {"aud": ["a", "b"], "exp": 1, "tenant": {"id": None, "ä": [1.5, True]}}

    _, claims = decoded(ask(kind, set=change, remove=["iat", "sub"]), browser)

    assert {name: claims[name] for name in change} == change
    assert set(claims) == set(before) - {"iat", "sub"} | set(change)


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_token_lacks_this_time_may_be_removed_too(ask, kind, browser):
    _, claims = decoded(ask(kind, remove=["nonce", "at_hash"]), browser)

    assert not {"nonce", "at_hash"} & set(claims)


def test_a_right_access_token_is_known_to_introspection_and_userinfo(ask, relying_party):
    token = ask("access_token")

    described = introspected(relying_party, token)
    assert described["active"] is True
    assert described["client_id"] == relying_party.client_id
    assert described["scope"] == "openid profile email offline_access"
    assert relying_party.userinfo(token).json["sub"] == DEVELOPER


def test_it_ends_with_the_session_as_every_other(ask, control, relying_party):
    token = ask("access_token")

    control.delete(f"persons/{DEVELOPER}/sessions")

    assert introspected(relying_party, token) == {"active": False}


@pytest.mark.parametrize(
    "changes", [{"sign": "broken"}, {"sign": "unknown"}, {"set": {"exp": 1}}, {"remove": ["sub"]}]
)
def test_an_access_token_that_was_changed_is_known_to_neither(ask, relying_party, changes):
    token = ask("access_token", **changes)

    assert introspected(relying_party, token) == {"active": False}
    assert relying_party.userinfo(token).status_int == 401


@pytest.mark.parametrize("kind", KINDS)
def test_a_token_of_an_unknown_key_names_a_key_that_is_not_published(ask, kind, browser):
    token = ask(kind, sign="unknown")

    published = [key["kid"] for key in browser.get("/api/auth/jwks").json["keys"]]
    assert parts_of(token)[0]["kid"] not in published
    assert parts_of(token)[0]["typ"] == KINDS[kind]
    with pytest.raises((JoseError, ValueError)):
        decoded(token, browser)


@pytest.mark.parametrize("kind", KINDS)
def test_a_token_without_signature_says_so(ask, kind):
    token = ask(kind, sign="none", set={"sub": "x"})

    assert parts_of(token)[0] == {"alg": "none", "typ": KINDS[kind]}
    assert parts_of(token)[1]["sub"] == "x"
    assert token.endswith(".")
    assert token.count(".") == 2


@pytest.mark.parametrize("kind", KINDS)
def test_a_broken_signature_is_as_long_as_a_right_one(ask, kind, browser):
    content, _, signature = ask(kind, sign="broken").rpartition(".")
    right = ask(kind).rpartition(".")[2]

    assert len(signature) == len(right)
    assert parts_of(f"{content}.")[0]["kid"] == parts_of(ask(kind))[0]["kid"]
    with pytest.raises(JoseError):
        decoded(f"{content}.{signature}", browser)


def test_the_service_itself_takes_none_that_is_wrong(ask, browser, relying_party):
    hint = {"post_logout_redirect_uri": relying_party.redirect_uri}
    for changes in ({"sign": "unknown"}, {"sign": "none"}, {"sign": "broken"}):
        browser.get(
            "/api/auth/oauth2/end-session",
            hint | {"id_token_hint": ask("id_token", **changes)},
            expect_errors=True,
        )
        assert browser.session() is not None
        assert relying_party.userinfo(ask("access_token", **changes)).status_int == 401


def test_a_session_jwt_needs_no_client(control, browser):
    browser.sign_in()

    answer = control.post("tokens", {"kind": "session_jwt", "person": DEVELOPER})

    assert decoded(answer["token"], browser)[1]["aud"] == "http://localhost:37960"


@pytest.mark.attack("LOCAL-tokens")
def test_what_is_no_token_is_refused(subtests, control, browser, relying_party):
    for changes, field in (
        ({"kind": None}, "kind"),
        ({"kind": "refresh_token"}, "kind"),
        ({"kind": ["id_token"]}, "kind"),
        ({"person": None}, "person"),
        ({"person": ""}, "person"),
        ({"person": 1}, "person"),
        ({"person": "\x00"}, "person"),
        ({"client_id": None}, "client_id"),
        ({"client_id": "unknown"}, "client_id"),
        ({"client_id": {}}, "client_id"),
        ({"client_id": "x" * 2000}, "client_id"),
        ({"set": None}, "set"),
        ({"set": []}, "set"),
        ({"set": "exp"}, "set"),
        ({"set": {"exp": math.nan}}, "set"),
        ({"set": {"exp": [math.inf]}}, "set"),
        ({"remove": None}, "remove"),
        ({"remove": "exp"}, "remove"),
        ({"remove": ["exp", "exp"]}, "remove"),
        ({"remove": [1]}, "remove"),
        ({"remove": ["unknown"]}, "remove"),
        ({"remove": ["exp"], "set": {"exp": 1}}, "remove"),
        ({"sign": None}, "sign"),
        ({"sign": "HS256"}, "sign"),
        ({"sign": True}, "sign"),
        ({"alg": "none"}, "alg"),
    ):
        with subtests.test(changes=changes, field=field):
            browser.sign_in()
            wanted = {"kind": "id_token", "person": DEVELOPER, "client_id": relying_party.client_id}

            answer = control.ask("POST", "tokens", wanted | changes)

            assert (answer.status_int, answer.json["field"]) == (400, field)


def test_an_unknown_person_is_refused(control, relying_party):
    wanted = {"kind": "id_token", "client_id": relying_party.client_id, "person": "unknown"}

    answer = control.ask("POST", "tokens", wanted)

    assert answer.status_int in {400, 404}
    assert answer.json["field"] == "person"


def test_a_refusal_lists_the_clients_that_there_are(control, browser, relying_party):
    browser.sign_in()
    wanted = {"kind": "id_token", "person": DEVELOPER, "client_id": "unknown"}

    answer = control.ask("POST", "tokens", wanted)

    assert answer.json["allowed"] == [relying_party.client_id]
