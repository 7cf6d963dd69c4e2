"""The language of the pages: the client's wish, else the browser's, else English."""

import re
from datetime import UTC, datetime
from urllib.parse import urlencode

import pytest
from pyramid.interfaces import ILocaleNegotiator

from authservice import main
from authservice.settings.languages import LANGUAGES, SOURCE
from tests.helpers.browser import ORIGIN, Browser
from tests.helpers.end_session import END_SESSION
from tests.helpers.production import production_app, production_browser
from tests.helpers.relying_party import AUTHORIZE, TOKEN, RelyingParty

NOT_ENGLISH = [language for language in LANGUAGES if language != SOURCE]
GERMAN = {"Accept-Language": "de"}


def spoken(page):
    return page.html.find("html")["lang"]


def test_a_page_is_in_the_language_of_the_browser(subtests, browser):
    for language in LANGUAGES:
        with subtests.test(language=language):
            page = browser.get("/", headers={"Accept-Language": language})

            assert spoken(page) == language
            assert page.html.find("html")["dir"] == ("rtl" if language == "ar" else "ltr")
            assert page.headers["Vary"] == "Accept-Language"
            assert ("One sign-in" in page.text) == (language == "en")


def test_the_header_is_looked_up_and_a_broken_one_is_harmless(subtests, browser):
    for header, language in (
        ("", "en"),
        ("de-AT", "de"),
        ("DE-at-x-home", "de"),
        ("de-Latn-DE-1996", "de"),
        ("xx-YY, de;q=0.1", "de"),
        ("en;q=0.1, de;q=0.2", "de"),
        ("en, de", "en"),
        ("de;q=0, *", "en"),
        ("*", "en"),
        ("xx", "en"),
        ("de;q=2", "en"),
        ("de;q=", "en"),
        (",;=, de", "en"),
        ("de_AT", "en"),
        ("../../de", "en"),
        ("de\xe9", "en"),
        ("de," * 2000 + "!", "en"),
    ):
        with subtests.test(header=header, language=language):
            assert spoken(browser.get("/", headers={"Accept-Language": header})) == language


@pytest.mark.requirement("OIDC-CORE-3.1.2.1-12", "OIDC-CORE-3.1.2.1-17")
def test_what_the_client_asks_for_goes_before_the_browser(subtests, browser, relying_party):
    for ui_locales, header, language in (
        ("de", "en", "de"),
        ("de-CH en", "en", "de"),
        ("xx de en", "en", "de"),
        ("en de", "de", "en"),
        ("xx", "de", "de"),
        ("de_DE", "xx", "en"),
        ("- -- * ../de \x7f", "de", "de"),
        ("x" * 8000, "de", "de"),
    ):
        with subtests.test(ui_locales=ui_locales, header=header, language=language):
            answer = relying_party.authorize(browser, ui_locales=ui_locales)

            page = browser.visit(answer.location, headers={"Accept-Language": header})

            assert spoken(page) == language


def test_it_stays_on_the_whole_way_of_an_authorization_request(subtests, app, database):
    for language in NOT_ENGLISH:
        with subtests.test(language=language):
            browser, client = Browser(app), RelyingParty.registered(app, database)
            page = browser.follow_home(
                client.authorize(browser, ui_locales=language, response_mode="form_post")
            )
            assert spoken(page) == language
            page = browser.follow_home(page.forms[0].submit("choice", value="sign-in"))
            assert page.forms[0].action == "/consent"
            assert spoken(page) == language
            page = browser.follow_home(page.forms[0].submit("decision", value="allow"))
            assert page.html.find(id="form-post-submit") is not None
            assert spoken(page) == language


def test_it_comes_back_from_the_identity_provider(app, browser, relying_party):
    page = browser.follow_home(relying_party.authorize(browser, ui_locales="de"))
    leaving = page.forms[0].submit("choice", value="sign-in").location

    assert spoken(browser.visit(f"{leaving}&error=access_denied", expect_errors=True)) == "de"
    # So it does in another browser, which may not go on with the request.
    assert spoken(Browser(app).visit(leaving, expect_errors=True)) == "de"


def test_a_page_that_has_expired_says_so_in_that_language(browser, relying_party, turnable_clock):
    address = relying_party.authorize(browser, ui_locales="de").location
    turnable_clock.advance(hours=24)

    page = browser.visit(address, expect_errors=True)

    assert spoken(page) == "de"
    assert "Diese Seite ist abgelaufen" in page.text


@pytest.mark.requirement("OIDC-RPLOGOUT-2-14")
def test_it_stays_on_the_whole_way_of_a_logout(subtests, app):
    for method in ("get", "post"):
        with subtests.test(method=method):
            browser = Browser(app)
            browser.sign_in()

            page = browser.follow_home(
                getattr(browser, method)(END_SESSION, {"ui_locales": "de-AT"})
            )
            assert spoken(page) == "de"
            stayed = browser.follow_home(page.forms[0].submit("decision", value="stay"))
            assert spoken(stayed) == "de"
            ended = browser.follow_home(page.forms[0].submit("decision", value="sign-out"))
            assert spoken(ended) == "de"
            assert "Abgemeldet" in ended.text


def test_a_logout_that_names_no_language_leads_to_plain_addresses(browser):
    browser.sign_in()
    page = browser.get(END_SESSION)

    assert page.forms[0].submit("decision", value="sign-out").location.endswith("/signed-out")


def test_an_error_in_the_link_is_shown_in_that_language_with_the_rule_in_english(browser):
    page = browser.get(END_SESSION, {"ui_locales": "de", "client_id": "nobody"}, expect_errors=True)

    assert spoken(page) == "de"
    rule = page.html.find(string="client_id names no client known here.")
    assert rule.find_parent(lang=True)["lang"] == "en"


def test_a_day_is_written_as_each_language_does(browser, turnable_clock):
    turnable_clock.moment = datetime(2027, 3, 5, 12, tzinfo=UTC)
    browser.sign_in()

    days = {}
    for language in LANGUAGES:
        page = browser.get("/account", headers={"Accept-Language": language})
        days[language] = page.html.find("time", datetime="2027-03-05").text

    assert days == {
        "en": "5 March 2027",
        "de": "5. März 2027",
        "fr": "5 mars 2027",
        "es": "5 de marzo de 2027",
        "pl": "5 marca 2027",
        "ja": "2027年3月5日",
        "ar": "5 مارس 2027",
    }


@pytest.fixture
def arabic_pages(browser, relying_party):
    """Give one of each page in Arabic, by name: none of its letters are those of English."""
    browser.extra_environ["HTTP_ACCEPT_LANGUAGE"] = "ar"

    def get(path, **parameters):
        return browser.get(path, parameters, expect_errors=True)

    found = {"landing": get("/"), "sign-in": get("/sign-in")}
    page = browser.follow_home(relying_party.authorize(browser, response_mode="form_post"))
    found["sign-in for a client"] = page
    leaving = page.forms[0].submit("choice", value="sign-in").location
    found["consent"] = browser.follow_home(browser.visit(leaving))
    found["come back once more"] = get("/api/auth/callback/github?state=x")
    for prompt in ("login", "select_account"):
        wanted = relying_party.authorize(browser, prompt=prompt)
        found[f"sign-in for {prompt}"] = browser.follow_home(wanted)
    found["landing of a person"] = get("/")
    found["account"] = get("/account")
    found["sign-in of a person"] = get("/sign-in", callbackURL="http://app.localhost:3000/")
    answer = browser.follow_home(found["consent"].forms[0].submit("decision", value="allow"))
    found["form post"] = answer
    found["connected"] = get("/account")
    for name, path in {
        "error": "/error?error=access_denied",
        "refused": "/sign-in?callbackURL=//evil.example",
        "expired": "/consent?interaction=x",
        "fatal": "/api/auth/oauth2/authorize?client_id=x",
        "another address": f"{AUTHORIZE}?{urlencode(relying_party.request(redirect_uri='x:/'))}",
        "not found": "/nowhere",
        "logout of nobody's": f"{END_SESSION}?client_id=x",
        "logout": f"{END_SESSION}?client_id={relying_party.client_id}",
        "signed out everywhere": "/signed-out?everywhere=yes",
    }.items():
        found[name] = get(path)
    found["forged"] = browser.post("/sign-out", {}, expect_errors=True)
    form = found["logout"].forms[0]
    found["signed out"] = browser.follow_home(form.submit("decision", value="sign-out"))
    for error in ("access_denied", "account_suspended", "provider_unavailable", "anything_else"):
        page = browser.follow_home(relying_party.authorize(browser))
        leaving = page.forms[0].submit("choice", value="sign-in").location
        found[error] = browser.visit(f"{leaving}&error={error}", expect_errors=True)
    return found


def test_no_page_has_english_left_in_it(arabic_pages):
    for name, page in arabic_pages.items():
        assert spoken(page) == "ar", name
        soup = page.html
        # Names from outside, codes, and sentences of the protocol for developers.
        for foreign in soup.select("code, bdi, [lang=en], svg, .avatar, .tile"):
            foreign.decompose()
        shown = soup.get_text(" ") + " ".join(tag.get("aria-label", "") for tag in soup(True))
        for known in ("authservice", "GitHub", "Example App"):
            shown = shown.replace(known, "")
        assert re.findall(r"[A-Za-z]+", shown) == [], name


def test_programs_are_answered_in_english(browser, relying_party):
    refused = relying_party.http.post(TOKEN, {}, headers=GERMAN, expect_errors=True)
    assert refused.json["error_description"].isascii()

    missing = browser.get("/api/auth/nothing", headers=GERMAN, expect_errors=True)
    assert missing.json["message"] == "Not Found"


def test_no_language_is_looked_up_for_programs(database_url):
    # A router of its own, since it is changed.
    ini = {"auth.mode": "local", "auth.url": ORIGIN, "auth.database_url": database_url}
    app = main({}, **ini)
    looked_up = []

    def negotiated(request):
        looked_up.append(request.path)
        return "de"

    app.registry.registerUtility(negotiated, ILocaleNegotiator)
    browser = Browser(app)
    for path in ("/api/auth/get-session", "/api/auth/token", "/api/auth/oauth2/userinfo"):
        browser.get(path, headers=GERMAN, expect_errors=True)
    browser.get("/", headers=GERMAN)

    assert looked_up == ["/"]
    app.registry.components.close()


def test_a_number_of_seconds_is_worded_as_the_language_does(make_app, monkeypatch):
    limit = {"ratelimit__begun_sign_ins": "1"}
    browser = production_browser(production_app(make_app, monkeypatch, **limit))
    path = "/api/auth/sign-in/begin"

    pages = [browser.get(path, headers=GERMAN, expect_errors=True) for _ in range(2)]

    assert pages[-1].status_int == 429
    seconds = pages[-1].headers["Retry-After"]
    word = "Sekunde" if seconds == "1" else "Sekunden"
    assert f"Warten Sie {seconds} {word} und" in pages[-1].text
