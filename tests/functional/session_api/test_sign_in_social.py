"""POST sign-in/social: how an application begins a sign-in."""

from urllib.parse import parse_qs, urlsplit

import pytest
from sqlalchemy import func, select

from authservice.models import verification
from tests.helpers.browser import ORIGIN, Browser
from tests.helpers.production import production_app, production_browser

PATH = "/api/auth/sign-in/social"
HEADERS = {"Origin": ORIGIN}
CALLBACKS = [
    ("callbackURL", "INVALID_CALLBACK_URL"),
    ("errorCallbackURL", "INVALID_ERROR_CALLBACK_URL"),
    ("newUserCallbackURL", "INVALID_NEW_USER_CALLBACK_URL"),
]


def _begin(browser, **body):
    return browser.post_json(
        PATH, {"provider": "github"} | body, headers={"Origin": browser.origin}, expect_errors=True
    )


@pytest.fixture
def production(make_app, monkeypatch):
    return production_browser(production_app(make_app, monkeypatch))


def test_in_local_mode_it_leads_to_the_one_click_page(browser):
    answer = _begin(browser, callbackURL="http://app.localhost:3000/home?x=1")

    assert set(answer.json) == {"url", "redirect"}
    assert answer.json["redirect"] is True
    address = urlsplit(answer.json["url"])
    assert f"{address.scheme}://{address.netloc}{address.path}" == f"{ORIGIN}/sign-in"
    assert parse_qs(address.query) == {"callbackURL": ["http://app.localhost:3000/home?x=1"]}


@pytest.mark.story("sign_in.social")
def test_from_there_the_person_gets_back_to_the_application(browser):
    begun = _begin(browser, callbackURL="http://app.localhost:3000/home?x=1")

    page = browser.visit(begun.json["url"])
    answer = browser.follow_home(page.forms[0].submit("choice", value="sign-in"))

    assert answer.location == "http://app.localhost:3000/home?x=1"
    assert browser.session() is not None


def test_a_new_person_is_sent_where_new_people_go(browser):
    body = {"callbackURL": "/home", "newUserCallbackURL": "/welcome"}
    for expected in ("/welcome", "/home"):
        page = browser.visit(_begin(browser, **body).json["url"])
        callback = page.forms[0].submit("choice", value="sign-in").location
        # After a double click the browser follows the second answer.
        for _ in range(2):
            assert browser.visit(callback).location == f"{ORIGIN}{expected}"


def test_without_a_callback_the_landing_page_is_next(browser):
    page = browser.visit(_begin(browser).json["url"])
    callback = page.forms[0].submit("choice", value="sign-in").location

    assert browser.visit(callback).location == f"{ORIGIN}/"


@pytest.mark.attack("FAILURES-23")
@pytest.mark.parametrize("fixture", ["browser", "production"])
def test_whether_to_redirect_is_the_applications_wish(subtests, request, fixture, engine):
    browser = request.getfixturevalue(fixture)
    for wish, told in ((None, True), (False, True), (True, False)):
        with subtests.test(wish=wish):
            body = {} if wish is None else {"disableRedirect": wish}

            assert _begin(browser, **body).json["redirect"] is told


@pytest.mark.parametrize("fixture", ["browser", "production"])
def test_an_address_elsewhere_is_refused_by_name(subtests, request, fixture, engine):
    browser = request.getfixturevalue(fixture)
    for name, code in CALLBACKS:
        for url in (
            "https://evil.example",
            "//evil.example",
            "/\\evil.example",
            "javascript:alert(1)",
            "",
            "x",
        ):
            with subtests.test(name=name, url=url):
                answer = _begin(browser, **{name: url})

                assert answer.status_int == 403
                assert answer.json["code"] == code
                assert name in answer.json["message"]
                assert "Set-Cookie" not in answer.headers


def test_a_path_is_one_of_the_application_that_asks(browser):
    front_end = "http://localhost:3000"
    body = {"provider": "github", "callbackURL": "/straße", "newUserCallbackURL": "/welcome"}
    begun = browser.post_json(PATH, body, headers={"Origin": front_end}).json

    page = browser.visit(begun["url"])
    answer = browser.follow_home(page.forms[0].submit("choice", value="sign-in"))
    again = browser.follow_home(browser.visit(begun["url"]).forms[0].submit("choice", value="x"))

    assert answer.location == f"{front_end}/welcome"
    assert again.location == f"{front_end}/stra%C3%9Fe"


def test_without_an_origin_a_path_is_one_of_the_service(browser):
    body = {"provider": "github", "callbackURL": "/account"}

    begun = Browser(browser.app).post_json(PATH, body)

    assert parse_qs(urlsplit(begun.json["url"]).query) == {"callbackURL": ["/account"]}


def test_an_address_that_is_no_text_is_refused(subtests, browser):
    for name, _code in CALLBACKS:
        for value in (1, True, ["/"], {"a": 1}):
            with subtests.test(name=name, value=value):
                answer = _begin(browser, **{name: value})

                assert answer.status_int == 400
                assert answer.json["code"] == "VALIDATION_ERROR"
                assert name in answer.json["message"]


def test_the_provider_has_to_be_named(browser):
    answer = _begin(browser, provider=None)
    assert (answer.status_int, answer.json["code"]) == (400, "VALIDATION_ERROR")

    answer = _begin(browser, provider="gitlab")
    assert (answer.status_int, answer.json["code"]) == (404, "PROVIDER_NOT_FOUND")


def test_nothing_is_stored_before_the_person_acts_in_local_mode(browser, database):
    _begin(browser)

    attempts = select(func.count()).where(verification.c.identifier.startswith("sign-in:"))
    assert database.reader.scalar(attempts) == 0


@pytest.mark.attack("BROWSER-planted-session")
def test_in_production_no_script_is_told_a_state(production, database):
    answer = _begin(production, callbackURL="https://app.example.com/home", errorCallbackURL="/no")

    address = urlsplit(answer.json["url"])
    where = f"{address.scheme}://{address.netloc}{address.path}"
    assert where == f"{production.origin}/api/auth/sign-in/begin"
    assert parse_qs(address.query) == {
        "callbackURL": ["https://app.example.com/home"],
        "errorCallbackURL": ["/no"],
    }
    assert "Set-Cookie" not in answer.headers
    attempts = select(func.count()).where(verification.c.identifier.startswith("sign-in:"))
    assert database.reader.scalar(attempts) == 0
