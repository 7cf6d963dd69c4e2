"""Authorization responses: state, iss, the redirect URI as registered, query and form_post."""

from urllib.parse import parse_qsl, urlsplit

import pytest

from tests.helpers.relying_party import RelyingParty

ISSUER = "http://localhost:37960/api/auth"


@pytest.mark.attack("RFC9700-4.7", "RFC6819-4.4.1.8")
@pytest.mark.requirement("RFC6749-4.1.2-5", "RFC6749-4.1.2.1-8", "RFC6749-10.14-1")
@pytest.mark.requirement("OIDC-CORE-3.1.2.5-1")
def test_state_comes_back_exactly(subtests, app, browser, database):
    browser.sign_in()

    special = ("a b+c&d=e%20#f", "{}|`^<>\"'\\", "ünï©ødé 🙂", " leading")
    hostile = ("\r\nSet-Cookie: x", "#?/", "%41")
    for state in (*special, *hostile, "0", "x" * 128, "x" * 8000):
        with subtests.test(state=state[:200], length=len(state)):
            client = RelyingParty.registered(app, database)

            refusal = client.authorize(browser, state=state, prompt="none")
            refused = client.answer(refusal)
            page = browser.follow_home(client.authorize(browser, state=state))
            granted = client.answer(
                browser.follow_home(page.forms[0].submit("decision", value="allow"))
            )

            assert urlsplit(refusal.location).fragment == ""
            assert refused["state"] == state
            assert granted["state"] == state


@pytest.mark.attack("RFC9700-4.4", "OWASP-OAUTH-4", "FAILURES-18")
@pytest.mark.requirement("RFC7636-4.4-2", "RFC9207-2-1", "RFC9207-2-2", "RFC9207-2.3-1")
@pytest.mark.requirement("RFC9700-2.1-3", "RFC9700-4.4.2-1", "OIDC-CORE-3.1.2.5-1")
def test_without_state_none_is_made_up_and_iss_is_still_there(app, browser, database):
    trusted = RelyingParty.registered(app, database, skip_consent=True)

    refused = trusted.answer(trusted.authorize(browser, state=None, prompt="none"))
    browser.sign_in()
    granted = trusted.answer(trusted.authorize(browser, state=None))

    assert set(refused) == {"error", "error_description", "iss"}
    assert set(granted) == {"code", "iss"}
    assert refused["iss"] == granted["iss"] == ISSUER


@pytest.mark.requirement("RFC6749-3.1.2-3", "RFC6749-4.1.2-6", "RFC8252-7-1", "RFC8252-7.3-1")
@pytest.mark.requirement("RFC8252-7.3-2", "OIDC-CORE-3.1.3.3-3")
def test_the_answer_goes_to_the_redirect_uri_as_it_was_sent(subtests, app, browser, database):
    for registered, requested in (
        ("https://app.example.com", "https://app.example.com"),
        ("https://app.example.com/cb?a=1&b=%20", "https://app.example.com/cb?a=1&b=%20"),
        ("https://app.example.com/cb?a=%20&&", "https://app.example.com/cb?a=%20&&"),
        ("https://App.Example.com/CB", "https://App.Example.com/CB"),
        ("http://127.0.0.1/cb", "http://127.0.0.1:49152/cb"),
        ("http://[::1]:1234/cb?x=y", "http://[::1]:5678/cb?x=y"),
        ("http://localhost:3000/cb", "http://localhost:3000/cb"),
        ("com.example.app:/callback", "com.example.app:/callback"),
    ):
        with subtests.test(registered=registered, requested=requested):
            client = RelyingParty.registered(
                app, database, redirect_uris=[registered], skip_consent=True
            )
            client.redirect_uri = requested
            browser.sign_in()

            answer = client.authorize(browser)
            tokens = client.redeem(client.answer(answer)["code"])

            separator = "&" if "?" in requested else "?"
            assert answer.location.startswith(f"{requested}{separator}code=")
            assert answer.headers["Cache-Control"] == "no-store"
            assert tokens.status_int == 200


@pytest.mark.requirement("RFC6749-3.1.2.2-3", "OAUTH21-2.3.2-1")
def test_every_registered_redirect_uri_may_be_used(app, browser, database):
    uris = ["https://app.example.com/one", "https://app.example.com/two"]
    client = RelyingParty.registered(app, database, redirect_uris=uris, skip_consent=True)
    browser.sign_in()

    answers = [client.authorize(browser, redirect_uri=uri).location for uri in uris]

    assert [answer.partition("?")[0] for answer in answers] == uris


def posted_fields(page):
    assert page.status_int == 200
    assert "Location" not in page.headers
    form = page.forms[0]
    assert form.method == "post"
    return dict(form.submit_fields())


@pytest.mark.requirement("RFC6749-10.14-1", "RFC9207-2-1", "OIDC-CORE-3.1.2.1-4")
@pytest.mark.requirement("OIDC-FORMPOST-2-1", "OIDC-FORMPOST-2-2", "OIDC-FORMPOST-2-4")
@pytest.mark.requirement("OIDC-FORMPOST-2-6", "OIDC-FORMPOST-2-7")
def test_form_post_carries_a_code_in_a_form_that_posts_itself(app, browser, database):
    client = RelyingParty.registered(
        app, database, redirect_uris=["https://app.example.com/cb?a=1"], skip_consent=True
    )
    browser.sign_in()

    page = client.authorize(browser, response_mode="form_post", state="<\"&'> ü")

    fields = posted_fields(page)
    assert set(fields) == {"code", "state", "iss"}
    assert fields["state"] == "<\"&'> ü"
    assert fields["iss"] == ISSUER
    assert page.forms[0].action == "https://app.example.com/cb?a=1"
    assert page.html.find("script")["src"].startswith("/static/form_post.js?v=")
    assert page.html.find(id="form-post-submit")
    assert page.headers["Cache-Control"] == "no-store"
    policy = page.headers["Content-Security-Policy"]
    assert "script-src 'self'" in policy
    assert client.redeem(fields["code"]).status_int == 200


@pytest.mark.requirement("RFC9207-2-2", "OIDC-CORE-3.1.2.6-1", "OIDC-FORMPOST-2-2")
@pytest.mark.requirement("OIDC-FORMPOST-2-5")
def test_form_post_carries_errors_too(subtests, browser, relying_party):
    for changes, error in (
        ({"prompt": "none"}, "login_required"),
        ({"response_type": None}, "invalid_request"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"scope": "unknown"}, "invalid_scope"),
        ({"request": "a.b.c"}, "request_not_supported"),
        ({"id_token_hint": "junk"}, "invalid_request"),
    ):
        with subtests.test(changes=changes, error=error):
            page = relying_party.authorize(browser, response_mode="form_post", **changes)

            fields = posted_fields(page)
            assert set(fields) == {"error", "error_description", "state", "iss"}
            assert fields["error"] == error
            assert page.forms[0].action == relying_party.redirect_uri


@pytest.mark.requirement("OIDC-FORMPOST-2-5")
def test_form_post_carries_a_denial(browser, relying_party):
    browser.sign_in()
    consent = browser.follow_home(relying_party.authorize(browser, response_mode="form_post"))

    page = consent.forms[0].submit("decision", value="deny")

    assert posted_fields(page)["error"] == "access_denied"


@pytest.mark.attack("RFC9700-4.12")
@pytest.mark.requirement("RFC6749-4.1.2-6", "RFC9700-4.3.2-1", "RFC9700-4.12-1")
def test_an_answer_by_redirect_is_a_303_with_nothing_but_the_query(browser, relying_party):
    answer = relying_party.authorize(browser, prompt="none")

    assert answer.status_int == 303
    parts = urlsplit(answer.location)
    assert parts.fragment == ""
    assert {name for name, _ in parse_qsl(parts.query)} == {
        "error",
        "error_description",
        "state",
        "iss",
    }
    assert answer.body == b""
