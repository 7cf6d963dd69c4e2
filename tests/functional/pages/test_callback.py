"""The return from the identity provider: finished once, in the browser in which it was begun."""

from urllib.parse import parse_qs, parse_qsl, urlsplit

import pytest
from sqlalchemy import func, insert, select

from authservice import clock
from authservice.models import account, session, user, verification
from tests.helpers.browser import ORIGIN, Browser
from tests.helpers.cookies import cookies_set_by
from tests.helpers.verifications import made_by_requests

CALLBACK = "/api/auth/callback/github"


@pytest.fixture
def leaving(browser):
    """Give the address to which the identity provider will send the browser back."""
    page = browser.get("/sign-in", {"callbackURL": "/home"})
    return page.forms[0].submit("choice", value="sign-in").location


def _count(database, table):
    return database.reader.scalar(select(func.count()).select_from(table))


@pytest.mark.story("callback")
def test_it_makes_the_session_and_forgets_the_attempt(browser, leaving):
    answer = browser.visit(leaving)

    assert answer.location == f"{ORIGIN}/home"
    assert answer.headers["Cache-Control"] == "no-store"
    attempts = {name: c for name, c in cookies_set_by(answer).items() if ".sign_in." in name}
    assert [cookie.value for cookie in attempts.values()] == [""]
    assert "Max-Age=0" in next(iter(attempts.values())).attributes


def test_coming_again_leads_on_as_the_first_time(browser, leaving, database):
    first = browser.visit(leaving)
    before = browser.session()

    for _ in range(3):
        answer = browser.visit(leaving)
        assert (answer.status_int, answer.location) == (303, first.location)
        assert "authservice.session_token" not in str(answer.headers.getall("Set-Cookie"))

    assert browser.session() == before
    assert _count(database, session) == 1


def test_a_browser_that_dropped_the_answer_gets_it_again(app, browser, leaving, database):
    first = Browser(app)
    for cookie in browser.cookiejar:
        first.cookiejar.set_cookie(cookie)
    answer = first.visit(leaving)

    again = browser.visit(leaving)

    assert (again.status_int, again.location) == (303, answer.location)
    assert cookies_set_by(again) == cookies_set_by(answer)
    assert browser.session() == first.session() is not None
    assert _count(database, session) == 1
    # What has been answered is not answered again, not even after a sign-out.
    browser.post_json("/api/auth/sign-out", {}, headers={"Origin": ORIGIN})
    assert browser.visit(leaving, expect_errors=True).status_int == 400


def test_the_kept_answer_cannot_be_read_at_rest(browser, leaving, database):
    token = cookies_set_by(browser.visit(leaving))["authservice.session_token"].value

    stored = str(database.reader.execute(select(verification)).all())

    assert token.split(".")[0] not in stored


def test_a_form_sent_twice_leads_to_the_same_attempt(browser, database):
    form = browser.get("/sign-in").forms[0]

    first = form.submit("choice", value="sign-in")
    second = form.submit("choice", value="sign-in")

    assert first.location == second.location
    assert len(made_by_requests(database)) == 1


def test_a_callback_of_another_browser_leads_a_signed_in_person_nowhere(app, browser, leaving):
    browser.visit(leaving)
    other = Browser(app)
    other.sign_in()

    answer = other.visit(leaving)

    assert answer.status_int == 200
    assert "You are signed in" in answer.text


@pytest.mark.attack("RFC6819-4.6.2", "TOKENS-replay-attempt")
def test_a_callback_seen_a_hundred_times_makes_one_session(browser, leaving, database):
    answers = [browser.visit(leaving).status_int for _ in range(100)]

    assert answers == [303] * 100
    assert _count(database, session) == 1
    assert _count(database, user) == 1


@pytest.mark.attack("TOKENS-replay-attempt")
def test_an_attempt_finished_in_another_tab_is_not_finished_again_without_a_session(
    app, browser, leaving
):
    browser.visit(leaving)

    answer = Browser(app).visit(leaving, expect_errors=True)

    assert answer.status_int == 400
    assert "state_mismatch" in answer.text
    assert "Set-Cookie" not in answer.headers


@pytest.mark.attack("RFC6819-4.4.1.6", "BROWSER-csrf-callback", "FAILURES-48")
def test_a_callback_in_another_browser_signs_nobody_in(app, leaving, database):
    victim = Browser(app)

    answer = victim.visit(leaving, expect_errors=True)

    assert answer.status_int == 400
    assert "state_mismatch" in answer.text
    assert "Allow cookies for localhost, then start again." in answer.text
    assert "Set-Cookie" not in answer.headers
    assert _count(database, session) == 0
    victim.get("/sign-in")
    assert "in another browser" in victim.visit(leaving, expect_errors=True).html.h1.get_text()


def test_the_own_browser_can_still_finish_it(app, browser, leaving):
    Browser(app).visit(leaving, expect_errors=True)

    assert browser.visit(leaving).location == f"{ORIGIN}/home"


@pytest.mark.attack("BROWSER-csrf-callback")
def test_the_attempt_cookie_of_another_attempt_does_not_count(app, browser, leaving, database):
    other = Browser(app)
    other.get("/sign-in").forms[0].submit("choice", value="sign-in")

    assert other.visit(leaving, expect_errors=True).status_int == 400
    assert _count(database, session) == 0


def test_a_late_callback_begins_again_once(app, browser, leaving, turnable_clock, database):
    late = []
    for _ in range(2):
        turnable_clock.advance(minutes=10, seconds=1)
        late.append(leaving)
        stranger = Browser(app).visit(leaving, expect_errors=True)
        assert (stranger.status_int, "has expired" in stranger.text) == (400, True)
        answer = browser.visit(leaving, expect_errors=True)
        leaving = answer.location

    assert answer.status_int == 400
    assert "This sign-in has expired" in answer.text
    again = browser.visit(late[0]).location
    assert again not in late
    assert browser.visit(again).location == f"{ORIGIN}/home"
    assert _count(database, session) == 1


def test_a_late_callback_finds_the_person_signed_in(browser, leaving, turnable_clock):
    browser.visit(leaving)
    turnable_clock.advance(minutes=30)

    answer = browser.visit(leaving)

    assert answer.status_int == 200
    assert "You are signed in" in answer.text


def test_a_callback_nobody_asked_for_is_refused(subtests, browser, database):
    for query in ("", "?state=", "?state=x&code=y", "?code=one-click", "?error=x"):
        with subtests.test(query=query):
            answer = browser.get(f"{CALLBACK}{query}", expect_errors=True)

            assert answer.status_int == 400
            assert "Set-Cookie" not in answer.headers
            assert _count(database, session) == 0


def _with(leaving, **changes):
    query = {
        name: values[0] for name, values in parse_qs(urlsplit(leaving).query).items()
    } | changes
    return {name: value for name, value in query.items() if value is not None}


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"code": None}, "no_code"),
        ({"code": ""}, "no_code"),
        ({"code": "wrong"}, "invalid_code"),
        ({"error": "access_denied"}, "access_denied"),
        ({"error": "<script>"}, "unknown"),
    ],
)
def test_what_went_wrong_at_the_provider_is_said(browser, leaving, database, changes, code):
    answer = browser.get(CALLBACK, _with(leaving, **changes), expect_errors=True)

    assert answer.status_int == 400
    assert code in answer.text
    assert "<script>" not in answer.text
    assert _count(database, session) == 0


@pytest.mark.attack("BROWSER-log-injection")
def test_an_error_in_the_address_writes_nothing_into_the_log(browser, leaving, caplog):
    forged = "x\nINFO authservice.events signed_in sub=admin"

    browser.get(CALLBACK, _with(leaving, error=forged), expect_errors=True)

    (line,) = [each.getMessage() for each in caplog.records if "sign-in failed" in each.msg]
    assert line == "sign-in failed: unknown (the identity provider answered with an error)"
    assert "sub=admin" not in caplog.text


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("/oops", f"{ORIGIN}/oops?error=access_denied"),
        ("/oops?a=1", f"{ORIGIN}/oops?a=1&error=access_denied"),
        ("http://app.localhost:3000/e#top", "http://app.localhost:3000/e?error=access_denied#top"),
    ],
)
def test_an_application_can_be_told_what_went_wrong(browser, url, expected):
    page = browser.get("/sign-in", {"errorCallbackURL": url})
    leaving = page.forms[0].submit("choice", value="sign-in").location

    answer = browser.get(CALLBACK, _with(leaving, error="access_denied"))

    assert answer.status_int == 303
    assert answer.location == expected


@pytest.mark.requirement("OIDC-CORE-3.1.2.6-1")
@pytest.mark.parametrize("response_mode", ["query", "form_post"])
@pytest.mark.parametrize("error", ["access_denied", "provider_unavailable"])
def test_who_did_not_sign_in_may_go_back_to_the_client_that_asked(
    browser, relying_party, error, response_mode
):
    page = browser.follow_home(relying_party.authorize(browser, response_mode=response_mode))
    leaving = page.forms[0].submit("choice", value="sign-in").location

    page = browser.get(CALLBACK, _with(leaving, error=error), expect_errors=True)

    if response_mode == "query":
        told = dict(parse_qsl(urlsplit(page.html.find(id="back")["href"]).query))
        again = page.html.main.find("a", string="Try again")["href"]
        assert (
            "/consent?"
            in browser.follow_home(
                browser.visit(again).forms[0].submit("choice", value="sign-in")
            ).request.path_qs
        )
    else:
        told = dict(page.forms[0].submit_fields())
        assert page.forms[0].action == relying_party.redirect_uri
    expected = "temporarily_unavailable" if error == "provider_unavailable" else error
    assert (told["error"], told["state"]) == (expected, "opaque state")
    assert told["iss"].endswith("/api/auth")


def test_begun_in_one_browser_and_back_in_another(app, browser, relying_party, database):
    page = browser.follow_home(relying_party.authorize(browser))
    leaving = page.forms[0].submit("choice", value="sign-in").location
    other = Browser(app)
    other.get("/sign-in")

    page = other.visit(leaving, expect_errors=True)
    again, back = page.html.main.select("a.button")

    assert "in another browser" in page.html.h1.get_text()
    assert dict(parse_qsl(urlsplit(again["href"]).query)) == relying_party.request()
    assert (back["href"], back.text) == ("https://app.example.com/", "Back to Example App")
    assert "/sign-in?" in other.visit(again["href"]).location
    assert _count(database, session) == 0
    # The browser in which it began may still finish it.
    assert "/consent?" in browser.follow_home(browser.visit(leaving)).request.path_qs


@pytest.mark.attack("TOKENS-spent-attempt")
@pytest.mark.parametrize("changes", [{"error": "access_denied"}, {"code": None}, {"code": "wrong"}])
def test_an_attempt_that_failed_is_spent_and_a_new_one_is_offered(browser, leaving, changes):
    browser.get(CALLBACK, _with(leaving, **changes), expect_errors=True)

    answer = browser.visit(leaving, expect_errors=True)

    assert answer.status_int == 400
    assert "This sign-in has expired" in answer.text
    assert f"{ORIGIN}/sign-in?callbackURL=%2Fhome" in answer.text
    assert browser.session() is None


def test_an_address_that_is_somebody_elses_signs_nobody_in(browser, leaving, database):
    with database.transaction() as connection:
        connection.execute(
            insert(user),
            {
                "id": "u",
                "name": "Somebody else",
                "email": "local-developer@localhost.localdomain",
                "email_verified": False,
                "created_at": clock.now(),
                "updated_at": clock.now(),
            },
        )

    answer = browser.visit(leaving, expect_errors=True)

    assert answer.status_int == 400
    assert "account_not_linked" in answer.text
    assert [_count(database, table) for table in (session, account)] == [0, 0]


def test_another_provider_is_not_found(browser):
    answer = browser.get("/api/auth/callback/gitlab?state=x", expect_errors=True)

    assert answer.status_int == 404
    assert answer.json["code"] == "PROVIDER_NOT_FOUND"
