"""No page is a dead end: an error page leads on to where its person can begin again."""

from sqlalchemy import text, update

from authservice.models import oauth_client
from tests.helpers.browser import ORIGIN, Browser


def ways_on(page):
    """Return where the buttons of a page lead, with what they say."""
    return [(link["href"], link.get_text().strip()) for link in page.html.main.select("a.button")]


def begin_another_session(browser):
    """Sign out and in, as in another tab."""
    browser.post_json("/api/auth/sign-out", {}, headers={"Origin": browser.origin})
    browser.sign_in()


def follow(browser, page):
    way, *_ = ways_on(page)
    return browser.follow_home(browser.visit(way[0]))


def test_where_nothing_better_is_known_it_is_the_start_page(subtests, browser):
    for path in (
        "/error?error=access_denied",
        "/nowhere",
        "/sign-in?callbackURL=//evil.example",
        "/consent?interaction=x",
        "/api/auth/oauth2/authorize?client_id=x",
        "/api/auth/callback/github?state=x",
        "/api/auth/oauth2/end-session?state=1&state=2",
    ):
        with subtests.test(path=path):
            page = browser.get(path, expect_errors=True)

            assert ways_on(page) == [("/", "Start page")]


def test_the_button_of_a_sign_in_page_works_for_a_day(subtests, app, turnable_clock):
    for hours, lost, works in ((23, False, True), (23, True, True), (24, False, False)):
        with subtests.test(hours=hours, lost=lost):
            browser = Browser(app)
            form = browser.get("/sign-in", {"callbackURL": "/account"}).forms[0]
            turnable_clock.advance(hours=hours)
            if lost:
                browser.reset()

            answer = form.submit("choice", value="sign-in", expect_errors=True)

            if lost:
                # With its cookies a browser has lost what the form must be proved by.
                answer = browser.visit(answer.location).forms[0].submit("choice", value="sign-in")
            if works:
                assert browser.follow_home(answer).request.path == "/account"
            else:
                assert answer.status_int == 400
                assert ways_on(answer)[0][1] == "Sign in again"


def test_a_client_s_sign_in_page_begins_its_request_again(browser, relying_party, turnable_clock):
    form = browser.follow_home(relying_party.authorize(browser)).forms[0]
    turnable_clock.advance(minutes=11)

    consent = browser.follow_home(form.submit("choice", value="sign-in"))

    assert consent.request.path == "/consent"


def test_a_page_of_an_application_that_cannot_go_on_leads_there(
    subtests, app, browser, relying_party, database, turnable_clock
):
    page = browser.visit(relying_party.authorize(browser).location)
    back = [("https://app.example.com/", "Back to Example App")]
    stranger = Browser(app)
    stranger.get("/sign-in")

    with subtests.test("in another browser"):
        seen = stranger.visit(page.request.url, expect_errors=True)
        assert "This page has expired" in seen.text
        assert "Start again from Example App." in seen.html.main.get_text()
        assert [label for _, label in ways_on(seen)] == ["Start again", "Back to Example App"]
        assert follow(stranger, seen).request.path == "/sign-in"
    with subtests.test("in a browser without cookies"):
        seen = Browser(app).visit(page.request.url, expect_errors=True)
        assert "Cookies are needed" in seen.text
        assert "Allow cookies for localhost, then start again." in seen.text
        assert ways_on(seen)[1:] == back
    turnable_clock.advance(hours=24)
    with subtests.test("a day later"):
        assert ways_on(browser.visit(page.request.url, expect_errors=True)) == back
    with subtests.test("its redirect URI is another one by now"):
        change(database, redirect_uris=("https://new.example.com/callback",))
        seen = browser.visit(page.request.url, expect_errors=True)
        assert "Start again from Example App." in seen.html.main.get_text()
        assert ways_on(seen) == [("/", "Start page")]
    with subtests.test("it is there no more"):
        change(database, disabled=True)
        seen = browser.visit(page.request.url, expect_errors=True)
        assert "Example App" not in seen.text
        assert ways_on(seen) == [("/", "Start page")]
    with subtests.test("the database does not answer"):
        with database.transaction() as connection:
            connection.execute(text("ALTER TABLE oauth_client RENAME TO lost"))
        seen = browser.visit(page.request.url, expect_errors=True)
        assert "This page has expired" in seen.text
        assert ways_on(seen) == [("/", "Start page")]


def change(database, **values):
    with database.transaction() as connection:
        connection.execute(update(oauth_client).values(values))


def test_a_first_party_page_that_expired_leads_to_its_application(browser, turnable_clock):
    application = "http://app.localhost:3000/inside"
    form = browser.get("/sign-in", {"callbackURL": application}).forms[0]
    turnable_clock.advance(hours=24)

    page = form.submit("choice", value="sign-in", expect_errors=True)

    assert "Start again from app.localhost:3000." in page.html.main.get_text()
    assert ways_on(page)[1] == (application, "Back to app.localhost:3000")


def test_a_form_without_cookies_names_the_host_to_allow_them_for(app, browser):
    form = browser.get("/sign-in").forms[0]
    fields = {"csrf_token": form["csrf_token"].value, "attempt": form["attempt"].value}

    for site, heading in (("same-origin", "Cookies are needed"), ("cross-site", "out of date")):
        headers = {"Sec-Fetch-Site": site}
        page = Browser(app).post("/sign-in", fields, headers=headers, expect_errors=True)

        assert page.status_int == 403
        assert heading in page.html.h1.get_text()
        assert ("Allow cookies for localhost" in page.text) == (site == "same-origin")


def test_an_altered_attempt_leads_nowhere_else(browser):
    form = browser.get("/sign-in", {"callbackURL": "/account"}).forms[0]
    form["attempt"].force_value("altered")

    page = form.submit("choice", value="sign-in", expect_errors=True)

    assert ways_on(page) == [("/", "Start page")]


def test_a_consent_page_of_another_session_can_be_loaded_again(browser, relying_party):
    browser.sign_in()
    form = browser.follow_home(relying_party.authorize(browser)).forms[0]
    begin_another_session(browser)

    page = form.submit("decision", value="allow", expect_errors=True)
    again = follow(browser, page)

    assert page.status_int == 403
    assert again.request.path == "/consent"
    assert "code" in relying_party.answer(
        browser.follow_home(again.forms[0].submit("decision", value="allow"))
    )


def test_an_account_page_of_another_session_can_be_loaded_again(browser):
    browser.sign_in()
    page = browser.get("/account")
    form = next(form for form in page.forms.values() if form.action.endswith("everywhere"))
    begin_another_session(browser)

    refused = form.submit(expect_errors=True)

    assert refused.status_int == 403
    assert ways_on(refused) == [("/account", "Load the page again")]


def test_what_failed_here_can_be_tried_again(browser, database):
    browser.sign_in()
    with database.transaction() as connection:
        connection.execute(text("ALTER TABLE oauth_consent RENAME TO gone"))

    page = browser.get("/account?sessions=1", expect_errors=True)

    assert page.status_int == 503
    assert ways_on(page) == [("/account?sessions=1", "Try again")]


def test_signing_out_ends_on_a_page_that_signs_nobody_in(browser):
    browser.sign_in()
    page = browser.follow_home(browser.get("/").forms[0].submit())

    assert page.request.path == "/signed-out"
    assert ways_on(page) == [("/sign-in", "Sign in again")]
    assert browser.get("/").status_int == 200
    assert not page.html.select("meta[http-equiv=refresh], script")
    assert page.request.url.startswith(ORIGIN)
