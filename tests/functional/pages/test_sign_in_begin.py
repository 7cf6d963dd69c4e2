"""GET sign-in/begin: a sign-in that an application requested begins with the browser itself."""

from urllib.parse import parse_qs, urlsplit

import pytest
from sqlalchemy import func, select

from authservice.models import verification
from tests.helpers.browser import ORIGIN, Browser
from tests.helpers.cookies import cookies_set_by
from tests.helpers.production import production_app, production_browser

SOCIAL = "/api/auth/sign-in/social"
BEGIN = "/api/auth/sign-in/begin"
HOME = "https://app.example.com/home"
# As Chromium sends them when a page of a sibling sets its location.
NAVIGATION = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}


@pytest.fixture
def app(make_app, monkeypatch, standin):
    return production_app(make_app, monkeypatch, **standin.ini)


@pytest.fixture
def person(app):
    return production_browser(app)


def _attempts(database):
    attempts = select(func.count()).where(verification.c.identifier.startswith("sign-in:"))
    return database.reader.scalar(attempts)


@pytest.mark.story("sign_in.begin")
def test_from_the_application_to_the_provider_and_back_without_a_click(person, standin):
    body = {"provider": "github", "callbackURL": HOME}
    begun = person.post_json(SOCIAL, body, headers={"Origin": "https://app.example.com"})

    leaving = person.visit(begun.json["url"], headers=NAVIGATION | {"Sec-Fetch-Site": "same-site"})
    answer = person.visit(standin.allow(leaving.location))

    assert leaving.status_int == 303
    assert leaving.headers["Cache-Control"] == "no-store"
    assert answer.location == HOME
    assert person.session()["user"]["email"]


@pytest.mark.attack("BROWSER-login-csrf")
def test_the_attempt_is_bound_to_the_browser(person, database):
    answer = person.get(BEGIN, {"callbackURL": HOME})

    state = parse_qs(urlsplit(answer.location).query)["state"][0]
    ((name, cookie),) = cookies_set_by(answer).items()
    assert name.startswith("__Host-authservice.sign_in.")
    assert cookie.attributes == {"Path=/", "HttpOnly", "SameSite=Lax", "secure", "Max-Age=600"}
    row = database.reader.execute(select(verification)).one()
    assert state not in row.identifier
    assert state not in row.value
    assert "app.example.com" not in row.value


@pytest.mark.attack("BROWSER-planted-session")
def test_what_is_not_the_browsers_own_way_leads_to_the_page_and_makes_no_attempt(
    subtests, person, database
):
    for said in (
        {"Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"},
        {"Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "empty"},
        {"Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"},
        {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"},
        {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "object"},
        {"Sec-Fetch-Mode": "websocket", "Sec-Fetch-Dest": "websocket"},
        NAVIGATION | {"Sec-Fetch-Site": "cross-site"},
    ):
        with subtests.test(said=said):
            headers = {"Sec-Fetch-Site": "same-site", "Origin": "https://app.example.com"} | said

            answer = person.get(BEGIN, {"callbackURL": HOME}, headers=headers)

            assert answer.location == (
                "https://auth.example.com/sign-in?callbackURL=https%3A%2F%2Fapp.example.com%2Fhome"
            )
            assert "Set-Cookie" not in answer.headers
            assert "Access-Control-Allow-Origin" not in answer.headers
            assert _attempts(database) == 0


@pytest.mark.parametrize("site", ["same-origin", "same-site", "none"])
def test_a_tab_that_goes_there_begins(person, database, site):
    answer = person.get(BEGIN, headers=NAVIGATION | {"Sec-Fetch-Site": site})

    assert "state=" in answer.location
    assert _attempts(database) == 1


def test_asking_for_its_head_makes_no_attempt(person, database):
    assert person.head(BEGIN).location.startswith("https://auth.example.com/sign-in?")
    assert _attempts(database) == 0


@pytest.mark.attack("BROWSER-planted-session")
def test_a_sibling_cannot_finish_in_the_victims_browser_what_it_began_elsewhere(
    app, person, standin, database
):
    attacker = production_browser(app)
    back = standin.allow(attacker.get(BEGIN).location)

    # The sibling sends the victim to the callback of the attacker's own attempt.
    answer = person.visit(back, expect_errors=True)

    assert answer.status_int == 400
    assert "Set-Cookie" not in answer.headers
    assert person.session() is None


def test_who_is_signed_in_here_is_asked_which_account(person, standin):
    person.visit(standin.allow(person.get(BEGIN).location))

    again = person.get(BEGIN)

    assert "prompt=select_account" in again.location


def test_local_mode_leads_to_the_one_click_page(make_app, database):
    answer = Browser(make_app()).get(BEGIN, {"callbackURL": "/home"}, headers=NAVIGATION)

    assert answer.location == f"{ORIGIN}/sign-in?callbackURL=%2Fhome"
    assert _attempts(database) == 0


def test_who_wanted_another_account_is_asked_which_one_again_when_they_come_late(
    person, standin, turnable_clock
):
    page = person.get("/sign-in", {"callbackURL": HOME, "prompt": "select_account"})
    back = standin.allow(page.forms[0].submit("choice", value="sign-in").location)
    turnable_clock.advance(minutes=11)

    again = person.visit(back, headers=NAVIGATION)

    assert again.status_int == 303
    assert "prompt=select_account" in again.location
