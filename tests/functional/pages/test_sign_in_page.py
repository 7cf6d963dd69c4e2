"""The sign-in page: where it may lead, and what it says."""

import pytest

from tests.helpers.browser import ORIGIN, Browser
from tests.helpers.cookies import cookies_set_by

NAMES = {
    "callbackURL": "INVALID_CALLBACK_URL",
    "errorCallbackURL": "INVALID_ERROR_CALLBACK_URL",
    "newUserCallbackURL": "INVALID_NEW_USER_CALLBACK_URL",
}


def _words(response):
    return " ".join(response.html.get_text(" ").split())


def test_a_person_comes_back_to_where_they_were_going(browser):
    page = browser.get("/sign-in", {"callbackURL": "http://app.localhost:3000/x?y=1#z"})
    assert "app.localhost:3000" in page.text

    answer = browser.follow_home(page.forms[0].submit("choice", value="sign-in"))

    assert answer.status_int == 303
    assert answer.location == "http://app.localhost:3000/x?y=1#z"


def test_an_address_elsewhere_gets_a_page_that_does_not_lead_there(subtests, browser):
    for name, code in NAMES.items():
        for url in (
            "https://evil.example/",
            "//evil.example",
            "/\\evil.example",
            "http://localhost:3000@evil.example/",
            "javascript:alert(1)",
            "/\t/evil.example",
            "",
        ):
            with subtests.test(name=name, code=code, url=url):
                page = browser.get("/sign-in", {name: url}, expect_errors=True)

                assert page.status_int == 403
                assert page.content_type == "text/html"
                assert code in page.text
                assert name in page.text
                assert not page.forms
                assert "evil.example" not in page.text
                assert "alert(1)" not in page.text


def test_whoever_is_signed_in_may_go_on_as_they_are(browser):
    browser.sign_in()
    before = browser.session()["session"]
    page = browser.get("/sign-in", {"callbackURL": "/somewhere"})
    assert "You are signed in as" in _words(page)
    assert "Continue as Local Developer" in _words(page)

    answer = page.forms[0].submit("choice", value="continue")

    assert answer.location == f"{ORIGIN}/somewhere"
    assert browser.session()["session"] == before


def test_going_on_without_a_session_means_signing_in(browser):
    page = browser.get("/sign-in", {"callbackURL": "/x"})

    answer = page.forms[0].submit("choice", value="continue")

    assert answer.location.startswith(f"{ORIGIN}/api/auth/callback/github?")


def test_a_signed_out_person_is_not_gone_on_with(browser):
    browser.sign_in()
    page = browser.get("/sign-in", {"callbackURL": "/x"})
    browser.post_json("/api/auth/sign-out", {}, headers={"Origin": ORIGIN})

    answer = page.forms[0].submit("choice", value="continue")

    # The form was made for the person who has left since.
    assert answer.location == f"{ORIGIN}/sign-in?callbackURL=%2Fx"
    assert browser.session() is None


def test_a_page_that_was_open_for_a_day_says_so(browser, turnable_clock):
    page = browser.get("/sign-in")
    turnable_clock.advance(hours=24)

    answer = page.forms[0].submit("choice", value="sign-in", expect_errors=True)

    assert answer.status_int == 400
    assert "sign_in_expired" in answer.text


@pytest.mark.parametrize("attempt", ["", "x", "A" * 400, None])
def test_an_altered_form_says_so(browser, attempt):
    form = browser.get("/sign-in").forms[0]
    value = form["attempt"].value
    form["attempt"] = value[:-8] + "AAAAAAAA" if attempt is None else attempt

    answer = form.submit("choice", value="sign-in", expect_errors=True)

    assert answer.status_int == 400
    assert "sign_in_expired" in answer.text


@pytest.mark.attack("BROWSER-login-csrf")
def test_a_form_of_another_browser_is_refused(app, browser):
    foreign = Browser(app).get("/sign-in").forms[0]["attempt"].value
    form = browser.get("/sign-in").forms[0]
    form["attempt"] = foreign

    answer = form.submit("choice", value="sign-in", expect_errors=True)

    assert answer.status_int == 400
    assert "Set-Cookie" not in answer.headers


def test_several_tabs_work_side_by_side(browser):
    pages = [browser.get("/sign-in", {"callbackURL": f"/tab-{tab}"}) for tab in range(3)]

    leaving = [page.forms[0].submit("choice", value="sign-in") for page in pages]

    # The second and third callbacks come when the first has signed the person in already.
    for tab in (1, 0, 2):
        assert browser.visit(leaving[tab].location).location == f"{ORIGIN}/tab-{tab}"


@pytest.mark.attack("RFC9700-4.12")
def test_every_answer_to_a_form_is_followed_by_get(browser):
    page = browser.get("/sign-in")

    leaving = page.forms[0].submit("choice", value="sign-in")

    assert leaving.status_int == 303
    assert browser.visit(leaving.location).status_int == 303
    assert any(".sign_in." in name for name in cookies_set_by(leaving))
