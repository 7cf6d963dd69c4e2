"""prompt, max_age and id_token_hint: what each asks of the person, and that none can loop."""

import pytest

from authservice import clock
from tests.helpers.relying_party import RelyingParty


@pytest.fixture
def trusted(app, database):
    """A client that needs no consent, so that only signing in is at stake."""
    return RelyingParty.registered(app, database, skip_consent=True)


def page_of(browser, client, **changes):
    answer = browser.follow_home(client.authorize(browser, **changes))
    return answer.request.path if answer.status_int == 200 else "client"


def sign_in_again(browser, client, **changes):
    page = browser.follow_home(client.authorize(browser, **changes))
    assert page.request.path == "/sign-in"
    return browser.follow_home(page.forms[0].submit("choice", value="sign-in"))


@pytest.mark.attack("FAILURES-15")
@pytest.mark.requirement("RFC6749-3.1-1", "OIDC-CORE-3.1.2.1-6", "OIDC-CORE-3.1.2.3-2")
@pytest.mark.requirement("OIDC-CORE-3.1.2.6-2")
@pytest.mark.parametrize("max_age", [None, "10"])
def test_prompt_none_without_a_session_is_login_required(browser, relying_party, max_age):
    state = "s" * 128

    answer = relying_party.answer(
        relying_party.authorize(browser, prompt="none", state=state, max_age=max_age)
    )

    assert answer["error"] == "login_required"
    assert answer["state"] == state


@pytest.mark.requirement("OIDC-CORE-3.1.2.1-6", "OIDC-CORE-3.1.2.6-3")
def test_prompt_none_without_consent_is_consent_required(browser, relying_party):
    browser.sign_in()

    answer = relying_party.answer(relying_party.authorize(browser, prompt="none"))

    assert answer["error"] == "consent_required"


@pytest.mark.requirement("OIDC-CORE-3.1.2.6-2")
def test_prompt_none_with_a_session_that_is_too_old_is_login_required(
    browser, trusted, turnable_clock
):
    browser.sign_in()
    turnable_clock.advance(seconds=11)

    old = trusted.answer(trusted.authorize(browser, prompt="none", max_age="10"))
    enough = trusted.answer(trusted.authorize(browser, prompt="none", max_age="11"))

    assert old["error"] == "login_required"
    assert "code" in enough


@pytest.mark.attack("FAILURES-14")
@pytest.mark.requirement("OIDC-CORE-3.1.2.1-7")
@pytest.mark.parametrize("reason", ["login", "login consent", "login select_account"])
def test_prompt_login_asks_again_and_a_new_sign_in_satisfies_it(
    browser, trusted, turnable_clock, reason
):
    browser.sign_in()
    first = browser.session()["session"]["createdAt"]
    turnable_clock.advance(seconds=1)

    page = browser.follow_home(trusted.authorize(browser, prompt=reason))
    assert "sign in again" in page.text
    assert not page.html.find("button", value="continue")
    answer = browser.follow_home(page.forms[0].submit("choice", value="sign-in"))
    if "consent" in reason:
        assert answer.request.path == "/consent"
        answer = browser.follow_home(answer.forms[0].submit("decision", value="allow"))

    assert "code" in trusted.answer(answer)
    assert browser.session()["session"]["createdAt"] > first


@pytest.mark.attack("FAILURES-14")
@pytest.mark.requirement("OIDC-CORE-3.1.2.1-7")
def test_the_old_session_does_not_satisfy_prompt_login(browser, trusted, turnable_clock):
    browser.sign_in()
    turnable_clock.advance(seconds=1)
    page = browser.follow_home(trusted.authorize(browser, prompt="login"))

    # The page offers no such button; who sends the choice all the same is prompted again.
    fields = dict(page.forms[0].submit_fields()) | {"choice": "continue"}
    answer = browser.follow_home(browser.post("/sign-in", fields))

    assert answer.request.path == "/sign-in"


def test_prompt_login_without_a_session_asks_once(browser, trusted):
    assert "code" in trusted.answer(sign_in_again(browser, trusted, prompt="login"))


@pytest.mark.parametrize("max_age", ["0", "1"])
def test_a_new_sign_in_satisfies_max_age_however_long_the_way_back_takes(
    browser, relying_party, turnable_clock, max_age
):
    browser.sign_in()
    turnable_clock.advance(seconds=60)
    page = browser.follow_home(relying_party.authorize(browser, max_age=max_age))
    assert "more recent sign-in" in page.text
    consent = browser.follow_home(page.forms[0].submit("choice", value="sign-in"))
    turnable_clock.advance(seconds=60)

    answer = browser.follow_home(consent.forms[0].submit("decision", value="allow"))

    assert "code" in relying_party.answer(answer)


@pytest.mark.attack("FAILURES-43")
@pytest.mark.requirement("OIDC-CORE-3.1.2.1-11")
def test_an_extended_session_is_not_a_newer_sign_in(browser, trusted, turnable_clock):
    browser.sign_in()
    for _ in range(3):
        turnable_clock.advance(days=2)
        assert browser.session()["session"]

    assert page_of(browser, trusted, max_age="500000") == "/sign-in"


@pytest.mark.requirement("OIDC-CORE-3.1.2.1-9")
def test_select_account_is_asked_for_each_request(browser, trusted, turnable_clock):
    browser.sign_in()
    for _ in range(2):
        turnable_clock.advance(seconds=1)
        page = browser.follow_home(trusted.authorize(browser, prompt="select_account"))
        assert "choose an account" in page.text
        answer = browser.follow_home(page.forms[0].submit("choice", value="continue"))
        assert "code" in trusted.answer(answer)


def id_token_of(app, subject, *, issuer=None, typ="JWT", **claims):
    components = app.registry.components
    content = {
        "iss": issuer or components.settings.issuer,
        "sub": subject,
        "aud": "client",
        "iat": int(clock.now().timestamp()) - 7200,
        "exp": int(clock.now().timestamp()) - 3600,
    }
    return components.signing_keys.sign(content | claims, alg="RS256", typ=typ)


@pytest.mark.requirement("OIDC-CORE-3.1.2.2-5")
def test_an_expired_hint_still_names_its_user(app, browser, trusted):
    browser.sign_in()
    hint = id_token_of(app, "local-developer")

    answer = trusted.authorize(browser, prompt="none", id_token_hint=hint)

    assert "code" in trusted.answer(answer)


@pytest.mark.requirement("OIDC-CORE-3.1.2.1-13")
@pytest.mark.parametrize("prompt", [None, "none", "consent"])
def test_a_hint_of_another_user_is_login_required(app, browser, trusted, prompt):
    browser.sign_in()
    hint = id_token_of(app, "somebody-else")

    answer = trusted.answer(trusted.authorize(browser, prompt=prompt, id_token_hint=hint))

    assert answer["error"] == "login_required"
    assert "id_token_hint" in answer["error_description"]


@pytest.mark.requirement("OIDC-CORE-3.1.2.2-3")
def test_signing_in_as_another_than_hinted_is_login_required(app, browser, trusted):
    hint = id_token_of(app, "somebody-else")

    answer = trusted.answer(sign_in_again(browser, trusted, id_token_hint=hint))

    assert answer["error"] == "login_required"


@pytest.mark.requirement("OIDC-CORE-3.1.2.2-4")
def test_only_an_id_token_of_ours_is_a_hint(subtests, app, browser, trusted):
    for kind in (
        {"typ": "session+jwt"},
        {"typ": "at+jwt"},
        {"typ": "logout+jwt"},
        {"issuer": "https://other.example/api/auth"},
        {"sub": None},
        {"sub": 7},
    ):
        with subtests.test(kind=kind):
            browser.sign_in()
            hint = id_token_of(app, "local-developer", **kind)

            answer = trusted.answer(trusted.authorize(browser, id_token_hint=hint))

            assert answer["error"] == "invalid_request"
            assert "id_token_hint" in answer["error_description"]
