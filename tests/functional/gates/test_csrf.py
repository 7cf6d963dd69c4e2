"""Forms: only pages of this browser, made for this person, can send them."""

import pytest
from sqlalchemy import func, select

from authservice.models import session
from tests.helpers.browser import ORIGIN, Browser
from tests.helpers.cookies import cookies_set_by
from tests.helpers.verifications import made_by_requests

BROWSER = "authservice.browser"


def _count(database, table):
    return database.reader.scalar(select(func.count()).select_from(table))


@pytest.fixture
def form(browser):
    return browser.get("/sign-in").forms[0]


@pytest.mark.attack("RFC6819-4.4.1.10", "BROWSER-csrf-forms")
@pytest.mark.requirement("OIDC-CORE-3.1.2.3-3")
def test_a_form_without_its_token_is_refused_before_signing_in(subtests, browser, form, database):
    for token in ("", "x", "A" * 43, "ä" * 43):
        with subtests.test(token=token):
            form["csrf_token"] = token

            answer = form.submit("choice", value="sign-in", expect_errors=True)

            assert answer.status_int == 403
            assert "csrf_token_invalid" in answer.text
            assert len(made_by_requests(database)) == 0


@pytest.mark.requirement("RFC6749-10.12-1")
@pytest.mark.parametrize("path", ["/sign-in", "/consent", "/sign-out"])
def test_a_form_with_no_fields_at_all_is_refused(browser, path):
    browser.sign_in()

    assert browser.post(path, {}, expect_errors=True).status_int == 403
    assert browser.post(path, expect_errors=True).status_int == 403


@pytest.mark.attack("BROWSER-csrf-forms")
@pytest.mark.requirement("RFC6749-10.12-1")
def test_a_token_of_another_browser_is_refused(app, form, database):
    form["csrf_token"] = Browser(app).get("/sign-in").forms[0]["csrf_token"].value

    assert form.submit("choice", value="sign-in", expect_errors=True).status_int == 403
    assert len(made_by_requests(database)) == 0


def test_a_token_without_the_cookie_is_refused(app, form):
    fields = {"csrf_token": form["csrf_token"].value, "attempt": form["attempt"].value}

    assert Browser(app).post("/sign-in", fields, expect_errors=True).status_int == 403


def test_a_token_in_a_header_does_not_count(browser, form):
    headers = {"X-CSRF-Token": form["csrf_token"].value}

    answer = browser.post("/sign-in", {"x": "1"}, headers=headers, expect_errors=True)

    assert answer.status_int == 403


def test_a_token_in_the_query_does_not_count(browser, form):
    token = form["csrf_token"].value

    answer = browser.post(f"/sign-in?csrf_token={token}", {"x": "1"}, expect_errors=True)

    assert answer.status_int == 403


def test_a_sign_in_page_that_was_open_meanwhile_goes_on_working(browser):
    before = browser.get("/sign-in").forms[0]
    browser.sign_in()

    answer = browser.follow_home(before.submit("choice", value="sign-in"))

    assert answer.status_int == 200
    assert browser.session() is not None


def test_a_page_made_while_signed_in_does_nothing_after_signing_out(browser):
    browser.sign_in()
    form = browser.get("/").forms[0]
    browser.post_json("/api/auth/sign-out", {}, headers={"Origin": browser.origin})

    answer = form.submit()

    # What it asks for has happened, so this is no error; nothing else does.
    assert answer.location == f"{browser.origin}/signed-out"
    assert "Set-Cookie" not in answer.headers


@pytest.mark.attack("OWASP-SESSION-11")
def test_a_page_made_for_one_session_cannot_be_sent_in_another(browser, database):
    browser.sign_in()
    form = browser.get("/").forms[0]
    browser.post_json("/api/auth/sign-out", {}, headers={"Origin": ORIGIN})
    browser.sign_in()

    assert form.submit(expect_errors=True).status_int == 403
    assert _count(database, session) == 1


def test_the_cookie_behind_the_token_is_the_hosts_own(make_app):
    app = make_app(auth__url="https://localhost:37960")
    answer = Browser(app, origin="https://localhost:37960").get("/sign-in")

    (cookie,) = cookies_set_by(answer).items()
    assert cookie[0] == f"__Host-{BROWSER}"
    assert cookie[1].attributes == {"Path=/", "HttpOnly", "SameSite=Lax", "secure"}


def test_the_cookie_is_set_once_and_kept(browser):
    first = cookies_set_by(browser.get("/sign-in"))[BROWSER]

    again = browser.get("/sign-in")

    assert "Set-Cookie" not in again.headers
    assert browser.cookies[BROWSER] == first.value


def test_the_token_is_not_the_cookie(browser, form):
    assert form["csrf_token"].value != browser.cookies[BROWSER]
    assert browser.cookies[BROWSER] not in form.text


def test_a_body_that_is_no_form_is_refused(browser, form):
    body = {"csrf_token": form["csrf_token"].value}

    answer = browser.post_json("/sign-in", body, expect_errors=True)

    assert answer.status_int == 400
    assert answer.content_type == "text/html"


@pytest.mark.parametrize(
    "body", [b"csrf_token=%ff", b"csrf_token=\xff", b"a=%00", b"&" * 5 + b"a=1&" * 200]
)
def test_a_form_that_cannot_be_read_is_refused(browser, body):
    answer = browser.post(
        "/sign-in",
        body,
        content_type="application/x-www-form-urlencoded",
        expect_errors=True,
    )

    assert answer.status_int == 400
    assert "cannot be read" in answer.text


def test_an_origin_is_not_needed_because_our_pages_send_none(browser, form):
    answer = form.submit("choice", value="sign-in", headers={"Origin": "null"})

    assert answer.location.startswith(ORIGIN)
