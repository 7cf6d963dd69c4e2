"""The pages: no script, no style of others, and what their policy says of forms."""

import re

import pytest

from tests.helpers.browser import ORIGIN, Browser
from tests.helpers.end_session import END_SESSION
from tests.helpers.production import production_app, production_browser, signed_in_cookies
from tests.helpers.relying_party import RelyingParty


def _policy(response):
    directives = response.headers["Content-Security-Policy"].split("; ")
    return {name: rest.split() for name, _, rest in (text.partition(" ") for text in directives)}


@pytest.fixture
def consent_page(browser, relying_party):
    answer = browser.follow_home(relying_party.authorize(browser))
    return browser.follow_home(answer.forms[0].submit("choice", value="sign-in"))


@pytest.fixture
def pages(browser, consent_page):
    """Give one of each page, by name."""
    found = {"consent": consent_page, "landing signed in": browser.get("/")}
    found["sign-in again"] = browser.get("/sign-in")
    found["account"] = browser.get("/account")
    found["signing out"] = browser.get(END_SESSION)
    fresh = Browser(browser.app)
    found["landing"] = fresh.get("/")
    found["sign-in"] = fresh.get("/sign-in")
    for name, path in {
        "error": "/error?error=access_denied",
        "refused": "/sign-in?callbackURL=//evil.example",
        "expired": "/consent?interaction=x",
        "callback": "/api/auth/callback/github?state=x",
        "fatal": "/api/auth/oauth2/authorize",
        "not found": "/nowhere",
    }.items():
        found[name] = fresh.get(path, expect_errors=True)
    return found


@pytest.mark.attack("RFC9700-4.17")
def test_no_page_has_script_or_inline_style(pages):
    for name, page in pages.items():
        soup = page.html
        assert page.content_type == "text/html", name
        assert not soup.find_all("script"), name
        assert not soup.find_all("style"), name
        assert not soup.find_all(style=True), name
        assert not re.search(r"\son\w+=", page.text), name
        assert "javascript:" not in page.text, name


@pytest.mark.attack("RFC9700-4.16", "RFC6819-4.4.1.9")
@pytest.mark.requirement("RFC6749-10.13-1", "RFC9700-4.2.4-1", "RFC9700-4.16-1")
def test_the_policy_allows_our_own_files_only(pages):
    for name, page in pages.items():
        policy = _policy(page)
        policy.pop("form-action", None)
        assert policy == {
            "default-src": ["'none'"],
            "style-src": ["'self'"],
            "img-src": ["'self'"],
            "frame-ancestors": ["'none'"],
            "base-uri": ["'none'"],
        }, name


def test_every_file_that_a_page_names_is_there(browser, pages):
    for page in pages.values():
        soup = page.html
        files = [tag.get("href") or tag.get("src") for tag in soup.find_all(["link", "img"])]
        assert files
        for file in files:
            assert file.startswith("/static/")
            assert browser.get(file).status_int == 200


def test_pages_say_their_language_and_have_a_title_and_one_heading(pages):
    for name, page in pages.items():
        soup = page.html
        assert soup.html["lang"] == "en", name
        assert soup.title.text.strip(), name
        assert len(soup.find_all("h1")) == 1, name
        assert not soup.find_all("form", method=lambda value: value != "post"), name


@pytest.mark.parametrize(
    ("page", "ids"),
    [
        ("sign-in", {"sign-in-submit"}),
        ("sign-in again", {"sign-in-submit"}),
        ("consent", {"consent-allow", "consent-deny"}),
        ("landing signed in", {"sign-out-submit"}),
    ],
)
def test_buttons_keep_their_ids(pages, page, ids):
    assert ids <= {tag["id"] for tag in pages[page].html.find_all(id=True)}


def test_the_landing_page_signs_in_by_one_click_and_out_by_another(browser):
    signed_in = browser.follow_home(browser.press(browser.get("/"), choice="sign-in"))

    assert signed_in.request.path == "/"
    assert signed_in.html.h1.text == "You are signed in"
    assert signed_in.html.find("a", href="/account")

    browser.press(signed_in)
    assert browser.session() is None


def test_the_policy_holds_back_no_form_that_may_leave(pages):
    leaving = {"consent", "landing", "sign-in", "sign-in again"}
    for name, page in pages.items():
        expected = None if name in leaving else ["'self'"]
        assert _policy(page).get("form-action") == expected, name


@pytest.mark.attack("BROWSER-script-injection")
@pytest.mark.requirement("RFC6749-10.14-1")
def test_names_from_outside_are_shown_as_text(app, browser, database):
    client = RelyingParty.registered(app, database, name='<b onclick="x()">\u202eevil & co')

    page = browser.follow_home(client.authorize(browser))

    assert "<b onclick" not in page.text
    assert "&lt;b onclick" in page.text
    assert "\u202e" not in page.text


@pytest.mark.story("error")
@pytest.mark.attack("BROWSER-script-injection")
def test_the_error_page_repeats_only_what_looks_like_a_code(subtests, browser):
    for code, shown in (
        ("access_denied", "access_denied"),
        ("ACCESS-denied_1", "ACCESS-denied_1"),
        ("<script>alert(1)</script>", "unknown"),
        ("x" * 65, "unknown"),
        ("", "unknown"),
        ("two words", "unknown"),
    ):
        with subtests.test(code=code, shown=shown):
            page = browser.get("/error", {"error": code}, expect_errors=True)

            assert page.status_int == 400
            assert shown in page.text
            assert code == shown or not code or code not in page.text


def test_a_person_in_production_sees_their_name_and_no_local_mode(make_app, monkeypatch, database):
    app = production_app(make_app, monkeypatch)
    browser = production_browser(app, signed_in_cookies(app, database))

    page = browser.get("/")

    assert "Ada Lovelace" in page.text
    assert "Local mode" not in page.text
    assert ORIGIN not in page.text


def test_pages_follow_the_name_of_the_service(make_app):
    page = Browser(make_app(auth__service_name="Example Sign-in")).get("/")

    assert "Example Sign-in" in page.html.title.text
