"""Authorization requests: what is refused, where the refusal goes, and what is let through."""

from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from sqlalchemy import update

from authservice.models import oauth_client
from tests.helpers.relying_party import AUTHORIZE, RelyingParty

ISSUER = "http://localhost:37960/api/auth"
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


def refused_by_page(response):
    assert response.status_int == 400
    assert response.content_type == "text/html"
    assert "Location" not in response.headers
    return response.text


def disable(database, client_id):
    with database.transaction() as connection:
        which = oauth_client.c.client_id == client_id
        connection.execute(update(oauth_client).where(which).values(disabled=True))


@pytest.mark.attack("RFC9700-4.1", "RFC6819-4.4.1.4")
@pytest.mark.requirement("RFC6749-3.1.2.2-2", "RFC6749-3.1.2.3-1", "RFC6749-3.1.2.4-1")
@pytest.mark.requirement("RFC6749-3.1.2.4-2", "RFC6749-4.1.2.1-1", "RFC6749-10.15-1")
@pytest.mark.requirement("RFC8252-8.4-4", "RFC9700-2.1-2", "RFC9700-4.1.3-1", "RFC9700-4.11.2-1")
@pytest.mark.requirement("OAUTH21-2.3.2-1", "OIDC-CORE-3.1.2.1-3", "OIDC-CORE-3.1.2.2-2")
def test_without_a_known_client_and_its_redirect_uri_nobody_is_redirected(
    subtests, browser, relying_party
):
    for changes, named in (
        ({"client_id": None}, "client_id is missing"),
        ({"client_id": ""}, "client_id is missing"),
        ({"client_id": "unknown"}, "client_id names no client"),
        ({"client_id": "x" * 5000}, "client_id names no client"),
        ({"redirect_uri": None}, "redirect_uri is missing"),
        ({"redirect_uri": ""}, "redirect_uri is missing"),
        ({"redirect_uri": "https://evil.example/"}, "redirect_uri is not one"),
        ({"redirect_uri": "https://app.example.com/callback/random"}, "redirect_uri is not one"),
        ({"redirect_uri": "https://app.example.com/callback?a=b"}, "redirect_uri is not one"),
        ({"redirect_uri": "https://app.example.com/callback#"}, "redirect_uri is not one"),
        ({"redirect_uri": "https://app.example.com/Callback"}, "redirect_uri is not one"),
        ({"redirect_uri": "https://APP.example.com/callback"}, "redirect_uri is not one"),
        ({"redirect_uri": "https://app.example.com:443/callback"}, "redirect_uri is not one"),
        ({"redirect_uri": "http://app.example.com/callback"}, "redirect_uri is not one"),
        ({"redirect_uri": "https://app.example.com/a/../callback"}, "redirect_uri is not one"),
        ({"redirect_uri": "//app.example.com/callback"}, "redirect_uri is not one"),
        ({"redirect_uri": "javascript:alert(1)"}, "redirect_uri is not one"),
        ({"redirect_uri": "callback"}, "redirect_uri is not one"),
    ):
        with subtests.test(changes=changes, named=named):
            parameters = relying_party.request() | {"request": "x"} | changes
            sent = {name: value for name, value in parameters.items() if value is not None}

            assert named in refused_by_page(browser.get(AUTHORIZE, sent, expect_errors=True))


@pytest.mark.attack("RFC9700-4.11.2")
@pytest.mark.requirement("RFC6749-3.1-7", "RFC6749-4.1.2.1-1")
@pytest.mark.parametrize("name", ["client_id", "redirect_uri"])
def test_a_repeated_client_or_redirect_uri_is_shown_and_never_followed(
    browser, relying_party, name
):
    parameters = relying_party.request()
    query = urlencode([*parameters.items(), (name, parameters[name])])

    page = refused_by_page(browser.get(f"{AUTHORIZE}?{query}", expect_errors=True))

    assert f"{name} is given more than once" in page


@pytest.mark.requirement("RFC6749-4.1.2.1-1")
def test_a_disabled_client_is_as_good_as_unknown(browser, relying_party, database):
    disable(database, relying_party.client_id)

    answer = browser.get(AUTHORIZE, relying_party.request(), expect_errors=True)

    assert "client_id names no client" in refused_by_page(answer)


REFUSED = [
    ({"response_type": None}, "invalid_request", "response_type is missing"),
    ({"response_type": ""}, "invalid_request", "response_type is missing"),
    ({"response_type": "token"}, "unsupported_response_type", "must be code"),
    ({"response_type": "none"}, "unsupported_response_type", "must be code"),
    ({"response_type": "barcode"}, "unsupported_response_type", "must be code"),
    ({"response_type": "code id_token"}, "unsupported_response_type", "must be code"),
    ({"response_mode": "fragment"}, "invalid_request", "response_mode"),
    ({"code_challenge": None}, "invalid_request", "code_challenge is missing"),
    ({"code_challenge": ""}, "invalid_request", "code_challenge is missing"),
    (
        {"code_challenge": None, "code_challenge_method": None},
        "invalid_request",
        "code_challenge is missing",
    ),
    ({"code_challenge_method": None}, "invalid_request", "code_challenge_method must be S256"),
    ({"code_challenge_method": "plain"}, "invalid_request", "code_challenge_method must be S256"),
    ({"code_challenge_method": "s256"}, "invalid_request", "code_challenge_method must be S256"),
    ({"code_challenge": "a" * 42}, "invalid_request", "43 to 128"),
    ({"code_challenge": "a" * 129}, "invalid_request", "43 to 128"),
    ({"code_challenge": "a" * 42 + "="}, "invalid_request", "43 to 128"),
    ({"code_challenge": "a" * 42 + "é"}, "invalid_request", "43 to 128"),
    ({"code_challenge": "a" * 43 + "\n"}, "invalid_request", "43 to 128"),
    ({"scope": "unknown groups"}, "invalid_scope", "openid profile email offline_access"),
    ({"scope": "OpenID"}, "invalid_scope", "openid profile email offline_access"),
    ({"prompt": "create"}, "invalid_request", "prompt may hold"),
    ({"prompt": "none login"}, "invalid_request", "prompt none"),
    ({"prompt": "consent none"}, "invalid_request", "prompt none"),
    ({"max_age": "-1"}, "invalid_request", "max_age"),
    ({"max_age": "1.5"}, "invalid_request", "max_age"),
    ({"max_age": "1000000000"}, "invalid_request", "max_age"),
    ({"max_age": "٣"}, "invalid_request", "max_age"),
    ({"max_age": "9" * 400}, "invalid_request", "max_age"),
    ({"id_token_hint": "not.a.token"}, "invalid_request", "id_token_hint"),
    ({"request": "eyJhbGciOiJub25lIn0.e30."}, "request_not_supported", "Request objects"),
    ({"request_uri": "https://app.example.com/r"}, "request_uri_not_supported", "request_uri"),
]


@pytest.mark.attack("RFC9700-4.4", "RFC9700-4.8", "OWASP-OAUTH-2", "FAILURES-7")
@pytest.mark.requirement("RFC6749-3.1.1-1", "RFC6749-3.3-1", "RFC6749-4.1.1-1", "RFC6749-4.1.2.1-2")
@pytest.mark.requirement("RFC6749-4.1.2.1-3", "RFC6749-4.1.2.1-5", "RFC6749-4.1.2.1-6")
@pytest.mark.requirement("RFC6749-4.1.2.1-7", "RFC6749-4.1.2.1-8", "RFC7636-4.2-2")
@pytest.mark.requirement("RFC7636-4.4.1-1", "RFC7636-4.4.1-2", "RFC7636-4.4.1-3", "RFC7636-7.2-1")
@pytest.mark.requirement("RFC9207-2-2", "RFC9207-2-3", "RFC9700-2.1-3", "RFC9700-2.1.1-2")
@pytest.mark.requirement("RFC9700-2.1.1-4", "RFC9700-2.1.1-5", "RFC9700-2.1.2-1", "RFC9700-4.8.2-1")
@pytest.mark.requirement("OAUTH21-4.1.1-1", "OAUTH21-4.1.3-2", "OIDC-CORE-3.1.2.1-10")
@pytest.mark.requirement("OIDC-CORE-3.1.2.2-1", "OIDC-CORE-3.1.2.2-2", "OIDC-CORE-3.1.2.6-1")
def test_every_other_fault_goes_to_the_redirect_uri_and_names_the_rule(
    subtests, browser, relying_party
):
    for changes, error, named in REFUSED:
        with subtests.test(changes=changes, error=error, named=named):
            answer = relying_party.answer(relying_party.authorize(browser, **changes))

            assert set(answer) == {"error", "error_description", "state", "iss"}
            assert answer["error"] == error
            assert named in answer["error_description"]
            assert answer["state"] == "opaque state"
            assert answer["iss"] == ISSUER
            assert not set(answer["error_description"]) & set('"\\\r\n\t')


@pytest.mark.requirement("OIDC-CORE-3.1.2.6-4", "OIDC-CORE-3.1.2.6-5")
@pytest.mark.parametrize("name", ["request", "request_uri"])
def test_request_objects_are_refused_before_everything_else(browser, relying_party, name):
    outside = {"response_type": None, "code_challenge": None, "scope": "nonsense", "prompt": "x"}

    answer = relying_party.answer(relying_party.authorize(browser, **outside, **{name: "a.b.c"}))

    assert answer["error"] == f"{name}_not_supported"


@pytest.mark.attack("FAILURES-16")
@pytest.mark.requirement("RFC6749-3.1-7", "RFC6749-4.1.2.1-3", "OAUTH21-3.1-1")
def test_a_repeated_parameter_is_an_invalid_request(subtests, browser, relying_party):
    for name in (
        "response_type",
        "scope",
        "nonce",
        "code_challenge",
        "prompt",
        "max_age",
        "response_mode",
    ):
        with subtests.test(name=name):
            sent = relying_party.request(prompt="login", max_age="1", response_mode="query")
            query = urlencode([*sent.items(), (name, sent[name])])

            answer = relying_party.answer(browser.get(f"{AUTHORIZE}?{query}"))

            assert answer["error"] == "invalid_request"
            assert name in answer["error_description"]
            assert answer["state"] == "opaque state"


@pytest.mark.requirement("RFC6749-3.1-7")
def test_a_repeated_state_is_an_invalid_request_and_not_echoed(browser, relying_party):
    query = urlencode([*relying_party.request().items(), ("state", "another")])

    answer = relying_party.answer(browser.get(f"{AUTHORIZE}?{query}"))

    assert answer["error"] == "invalid_request"
    assert "state" not in answer


ACCEPTED = [
    {},
    {"state": None},
    {"nonce": None},
    {"extra": "foobar", "user": "evil", "client": "evil", "scopes": "evil"},
    {"display": "popup"},
    {"login_hint": "ada@example.com"},
    {"ui_locales": "se fr-CA"},
    {"claims_locales": "se"},
    {"acr_values": "1 2"},
    {"claims": '{"userinfo":{"name":{"essential":true}}}'},
    {"response_mode": "query"},
    {"response_mode": "form_post"},
    {"response_mode": ""},
    {"scope": "email openid profile openid"},
    {"scope": " openid  email"},
    {"prompt": "", "max_age": "", "id_token_hint": "", "request": "", "nonce": ""},
    {"prompt": "login consent select_account"},
    {"prompt": "login login"},
    {"max_age": "0"},
    {"max_age": "999999999"},
    {"code_challenge": "-._~" * 32},
    {"code_challenge": CHALLENGE},
]


@pytest.mark.requirement("RFC6749-3.1-1", "RFC6749-3.1-3", "RFC6749-3.1-5", "RFC6749-3.1-6")
@pytest.mark.requirement("RFC7636-4.2-2", "OIDC-CORE-3.1.2.1-5", "OIDC-CORE-3.1.2.1-12")
@pytest.mark.requirement("OIDC-CORE-3.1.2.1-14", "OIDC-CORE-3.1.2.1-15", "OIDC-CORE-3.1.2.1-16")
@pytest.mark.requirement("OIDC-CORE-3.1.2.3-1")
def test_everything_else_is_let_through_to_the_sign_in_page(subtests, browser, relying_party):
    for changes in ACCEPTED:
        with subtests.test(changes=changes):
            answer = relying_party.authorize(browser, **changes)

            assert answer.status_int == 303
            assert urlsplit(answer.location).path == "/sign-in"
            assert answer.headers["Cache-Control"] == "no-store"
            assert browser.visit(answer.location).status_int == 200


@pytest.mark.requirement("RFC6749-3.1-4", "RFC9700-4.12-1", "OIDC-CORE-3.1.2.1-1")
def test_a_request_by_post_is_sent_again_by_get(browser, relying_party):
    parameters = relying_party.request(state="a&b=c ü")

    answer = browser.post(AUTHORIZE, parameters)

    assert answer.status_int == 303
    assert answer.location.startswith(f"{ISSUER}/oauth2/authorize?")
    assert dict(parse_qsl(urlsplit(answer.location).query)) == parameters
    assert "/sign-in?" in browser.visit(answer.location).location


@pytest.mark.requirement("RFC6749-4.1.2.1-6")
def test_a_client_may_be_held_to_fewer_scopes(browser, relying_party, database):
    with database.transaction() as connection:
        which = oauth_client.c.client_id == relying_party.client_id
        connection.execute(update(oauth_client).where(which).values(scopes=("openid", "email")))

    answer = relying_party.answer(relying_party.authorize(browser, scope="profile"))

    assert answer["error"] == "invalid_scope"
    assert answer["error_description"].endswith("of these values: openid email.")


@pytest.mark.parametrize("public", [True, False])
def test_a_program_on_localhost_may_take_any_port_if_it_is_public(app, browser, database, public):
    uris = ["http://localhost/callback"]
    client = RelyingParty.registered(app, database, redirect_uris=uris, public=public)
    client.redirect_uri = "http://localhost:49152/callback"

    if public:
        assert client.redeem(client.sign_in_with(browser)).status_int == 200
    else:
        answer = browser.get(AUTHORIZE, client.request(), expect_errors=True)
        assert answer.status_int == 400


@pytest.mark.attack("RFC9700-4.8")
@pytest.mark.requirement("RFC7636-4.4.1-1", "RFC8252-8.1-1", "RFC8252-8.1-2", "RFC9700-2.1.1-2")
def test_a_public_client_needs_pkce_like_every_other(app, browser, database):
    public = RelyingParty.registered(app, database, public=True)

    answer = public.answer(public.authorize(browser, code_challenge=None))

    assert answer["error"] == "invalid_request"
