"""Consent: requested for what is new, remembered as a union, never assumed and never forged."""

import pytest

from authservice.services.people import consents
from tests.helpers.relying_party import RelyingParty

USER = "local-developer"


@pytest.fixture
def signed_in(browser):
    browser.sign_in()
    return browser


def consent_page(browser, client, **changes):
    page = browser.follow_home(client.authorize(browser, **changes))
    assert page.request.path == "/consent", page
    return page


def decide(browser, page, decision):
    return browser.follow_home(page.forms[0].submit("decision", value=decision))


def granted(database, client):
    found = consents.find(database.reader, client.client_id, USER)
    return None if found is None else set(found.scopes)


@pytest.mark.attack("RFC6819-4.2.2")
@pytest.mark.requirement("OIDC-CORE-3.1.2.4-1")
def test_the_page_names_client_host_person_and_what_is_asked(signed_in, relying_party):
    page = consent_page(signed_in, relying_party, scope="openid email")

    text = page.html.find("main").get_text()
    assert "Example App" in text
    assert "app.example.com" in text
    assert "Local Developer" in text
    assert signed_in.session()["user"]["email"] in text
    assert [code.text for code in page.html.select("ul.scopes code")] == ["openid", "email"]
    assert page.headers["Cache-Control"] == "no-store"
    assert page.html.find(id="consent-allow")
    assert page.html.find(id="consent-deny")


@pytest.mark.requirement("RFC6749-4.1.1-2", "RFC6749-4.1.2.1-4", "RFC9700-4.12-1")
@pytest.mark.requirement("OIDC-CORE-3.1.2.4-1")
def test_denying_is_access_denied_and_remembers_nothing(signed_in, relying_party, database):
    answer = decide(signed_in, consent_page(signed_in, relying_party), "deny")

    sent = relying_party.answer(answer)
    assert answer.status_int == 303
    assert set(sent) == {"error", "error_description", "state", "iss"}
    assert sent["error"] == "access_denied"
    assert granted(database, relying_party) is None
    consent_page(signed_in, relying_party)


@pytest.mark.requirement("OIDC-CORE-3.1.2.4-2")
def test_what_was_allowed_once_is_not_asked_again(signed_in, relying_party):
    decide(signed_in, consent_page(signed_in, relying_party, scope="openid email"), "allow")

    for scope in ("openid email", "email", "openid", None):
        answer = relying_party.answer(relying_party.authorize(signed_in, scope=scope))
        assert "code" in answer, scope


def test_only_new_scopes_are_asked_for_and_all_are_kept(signed_in, relying_party, database):
    decide(signed_in, consent_page(signed_in, relying_party, scope="openid email"), "allow")
    decide(signed_in, consent_page(signed_in, relying_party, scope="openid profile"), "allow")

    assert granted(database, relying_party) == {"openid", "email", "profile"}
    both = relying_party.authorize(signed_in, scope="openid email profile")
    assert "code" in relying_party.answer(both)


@pytest.mark.attack("FAILURES-25")
@pytest.mark.requirement("RFC9700-2.3-1", "OIDC-CORE-5.4-4")
def test_a_code_carries_only_what_this_request_asked_for(signed_in, relying_party):
    decide(signed_in, consent_page(signed_in, relying_party), "allow")

    answer = relying_party.answer(relying_party.authorize(signed_in, scope="openid"))
    tokens = relying_party.redeem(answer["code"]).json

    assert set(tokens) == {"access_token", "id_token", "token_type", "expires_in", "scope"}
    assert tokens["scope"] == "openid"


@pytest.mark.requirement("OIDC-CORE-11-2")
def test_offline_access_is_part_of_what_is_remembered(signed_in, relying_party):
    decide(signed_in, consent_page(signed_in, relying_party, scope="openid"), "allow")

    consent_page(signed_in, relying_party, scope="openid offline_access")


@pytest.mark.attack("RFC6819-4.2.3")
def test_a_consent_holds_for_one_client_only(app, signed_in, relying_party, database):
    decide(signed_in, consent_page(signed_in, relying_party), "allow")

    consent_page(signed_in, RelyingParty.registered(app, database))


def test_a_consent_that_was_taken_back_is_asked_for_again(signed_in, relying_party, database):
    decide(signed_in, consent_page(signed_in, relying_party), "allow")
    with database.transaction() as connection:
        found = consents.find(connection, relying_party.client_id, USER)
        consents.delete(connection, found)

    consent_page(signed_in, relying_party)


@pytest.mark.requirement("OIDC-CORE-3.1.2.4-2")
def test_a_client_that_skips_consent_asks_only_with_prompt_consent(app, signed_in, database):
    trusted = RelyingParty.registered(app, database, skip_consent=True)

    assert "code" in trusted.answer(trusted.authorize(signed_in))
    page = consent_page(signed_in, trusted, prompt="consent")
    assert "code" in trusted.answer(decide(signed_in, page, "allow"))


@pytest.mark.requirement("OIDC-CORE-3.1.2.1-8")
def test_prompt_consent_asks_again_each_time(signed_in, relying_party):
    for _ in range(2):
        page = consent_page(signed_in, relying_party, prompt="consent")
        answer = relying_party.answer(decide(signed_in, page, "allow"))
        assert "code" in answer


def test_in_local_mode_a_native_public_client_is_remembered_too(app, signed_in, database):
    native = RelyingParty.registered(
        app, database, public=True, redirect_uris=["http://127.0.0.1/cb"]
    )
    decide(signed_in, consent_page(signed_in, native), "allow")

    assert "code" in native.answer(native.authorize(signed_in))


@pytest.mark.attack("RFC6819-4.4.1.10", "BROWSER-csrf-forms")
@pytest.mark.requirement("RFC6749-4.1.1-2", "RFC6749-10.12-1")
def test_a_form_without_its_token_decides_nothing(signed_in, relying_party, database):
    form = consent_page(signed_in, relying_party).forms[0]
    form["csrf_token"] = "forged"

    answer = form.submit("decision", value="allow", expect_errors=True)

    assert answer.status_int == 403
    assert "csrf_token_invalid" in answer.text
    assert granted(database, relying_party) is None


@pytest.mark.parametrize("decision", ["", "maybe"])
def test_a_decision_that_is_none_shows_the_page_again(signed_in, relying_party, database, decision):
    answer = decide(signed_in, consent_page(signed_in, relying_party), decision)

    assert answer.request.path == "/consent"
    assert granted(database, relying_party) is None


@pytest.mark.attack("RFC6819-4.2.2", "FAILURES-25")
def test_allowing_cannot_widen_what_the_page_showed(signed_in, relying_party, database):
    page = consent_page(signed_in, relying_party, scope="openid")
    fields = dict(page.forms[0].submit_fields()) | {"decision": "allow", "scope": "openid email"}

    signed_in.post("/consent", fields)

    assert granted(database, relying_party) == {"openid"}


@pytest.mark.attack("FAILURES-13")
def test_who_signed_out_meanwhile_signs_in_first(signed_in, relying_party, database):
    page = consent_page(signed_in, relying_party)
    address = page.request.path_qs
    signed_in.post("/api/auth/sign-out", headers={"Origin": signed_in.origin})

    assert "/sign-in" in signed_in.follow_home(signed_in.get(address)).request.path
    submitted = page.forms[0].submit("decision", value="allow", expect_errors=True)
    assert submitted.status_int == 403
    assert granted(database, relying_party) is None


def test_another_account_can_be_chosen_from_the_page(signed_in, relying_party):
    page = consent_page(signed_in, relying_party)

    sign_in = page.click("Use another account")
    back = signed_in.follow_home(sign_in.forms[0].submit("choice", value="sign-in"))

    assert sign_in.request.path == "/sign-in"
    assert back.request.path == "/consent"


def narrow(browser, page, *declined):
    """Take the ticks from some of the scopes and allow the rest."""
    page = page.click("Choose what you share")
    for box in page.forms[0].fields["scope"]:
        box.checked = box._value not in declined
    return decide(browser, page, "allow-ticked")


def boxes(page):
    return [box["value"] for box in page.html.select("ul.scopes input[type=checkbox]")]


def test_everything_but_the_sign_in_itself_may_be_declined(signed_in, relying_party):
    first = consent_page(signed_in, relying_party)

    page = first.click("Choose what you share")

    assert boxes(first) == []
    assert boxes(page) == ["profile", "email", "offline_access"]
    assert all(box.has_attr("checked") for box in page.html.select("ul.scopes input"))


def test_a_request_that_signs_nobody_in_is_allowed_as_it_is_or_not_at_all(signed_in, relying_party):
    page = consent_page(signed_in, relying_party, scope="profile email")

    assert "Choose what you share" not in page
    tokens = relying_party.redeem(
        relying_party.answer(decide(signed_in, page, "allow"))["code"]
    ).json
    assert tokens["scope"] == "profile email"


@pytest.mark.requirement("RFC6749-3.3-2")
def test_the_client_is_told_what_it_got_and_gets_no_more(signed_in, relying_party, database):
    page = consent_page(signed_in, relying_party)
    answer = relying_party.answer(narrow(signed_in, page, "email", "offline_access"))

    tokens = relying_party.redeem(answer["code"]).json

    assert tokens["scope"] == "openid profile"
    assert "refresh_token" not in tokens
    claims = relying_party.userinfo(tokens["access_token"]).json
    assert "name" in claims
    assert "email" not in claims
    assert granted(database, relying_party) == {"openid", "profile"}


def test_what_was_declined_is_asked_for_again(signed_in, relying_party):
    narrow(signed_in, consent_page(signed_in, relying_party, scope="openid email"), "email")

    assert "code" in relying_party.answer(relying_party.authorize(signed_in, scope="openid"))
    page = consent_page(signed_in, relying_party, scope="openid email")
    answer = relying_party.answer(decide(signed_in, page, "allow"))
    assert relying_party.redeem(answer["code"]).json["scope"] == "openid email"


def test_what_is_declined_later_is_allowed_no_longer(signed_in, relying_party, database):
    decide(signed_in, consent_page(signed_in, relying_party), "allow")
    narrow(signed_in, consent_page(signed_in, relying_party, prompt="consent"), "email")

    assert granted(database, relying_party) == {"openid", "profile", "offline_access"}
    consent_page(signed_in, relying_party, scope="openid email")


def test_single_claims_are_declined_with_their_scope(signed_in, relying_party):
    claims = '{"userinfo": {"email": {"essential": true}, "name": null}}'
    page = consent_page(signed_in, relying_party, scope="openid", claims=claims)
    answer = relying_party.answer(narrow(signed_in, page, "email"))

    tokens = relying_party.redeem(answer["code"]).json

    assert set(relying_party.userinfo(tokens["access_token"]).json) == {"sub", "name"}


def test_a_tick_for_what_was_not_asked_gives_nothing(signed_in, relying_party, database):
    page = consent_page(signed_in, relying_party, scope="openid email")
    page = page.click("Choose what you share")
    fields = [*page.forms[0].submit_fields(), ("scope", "profile"), ("decision", "allow-ticked")]

    signed_in.follow_home(signed_in.post("/consent", fields))

    assert granted(database, relying_party) == {"openid", "email"}


@pytest.mark.parametrize("more", [[], [("scope", "email")], [("scope", "unknown")]])
def test_allow_means_all_that_was_shown(signed_in, relying_party, database, more):
    page = consent_page(signed_in, relying_party, scope="openid profile email")
    fields = [*page.forms[0].submit_fields(), *more, ("decision", "allow")]

    signed_in.follow_home(signed_in.post("/consent", fields))

    assert granted(database, relying_party) == {"openid", "profile", "email"}
