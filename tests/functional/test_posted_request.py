"""Authorization requests by POST that fit into no address go through every page to the end."""

import json
from urllib.parse import parse_qs, urlsplit

import pytest
from sqlalchemy import func, select

from authservice.models import posted_request
from authservice.services.tokens import posted_requests
from tests.functional.rate_limits.asking import at
from tests.helpers.browser import Browser
from tests.helpers.production import production_app, production_browser
from tests.helpers.relying_party import AUTHORIZE, RelyingParty

LONG = "s" * 30_000
# Addresses and cookies stay as short as those of any other request.
SHORT = 2_000
PRESSED = {"/sign-in": ("choice", "sign-in"), "/consent": ("decision", "allow")}


class Way:
    """A browser on its way from a form of the client's to its redirect URI."""

    def __init__(self, browser, client):
        self.browser = browser
        self.client = client
        self.pages = []

    def begin(self, **changes):
        return self.browser.post(AUTHORIZE, self.client.request(**changes))

    def end(self, answer):
        """Follow, press what leads on, and return the first answer that is for the client."""
        while True:
            answer = self._followed(answer)
            page = answer.request.path
            if answer.status_int != 200 or page not in PRESSED:
                return answer
            self.pages.append(page)
            name, value = PRESSED[page]
            answer = answer.forms[0].submit(name, value=value)

    def code(self, **changes):
        return self.answered(self.end(self.begin(**changes)))["code"]

    def answered(self, answer):
        assert answer.status_int == 303, answer
        assert answer.location.startswith(self.client.redirect_uri), answer.location
        found = parse_qs(urlsplit(answer.location).query)
        return {name: values[0] for name, values in found.items()}

    def _followed(self, answer):
        while answer.status_int == 303 and answer.location.startswith(self.browser.origin):
            assert len(answer.location) < SHORT
            answer = self.browser.visit(answer.location)
            assert sum(map(len, self.browser.cookies.values())) < SHORT
        return answer


@pytest.fixture
def way(browser, relying_party):
    return Way(browser, relying_party)


def number_kept(database):
    return database.reader.scalar(select(func.count()).select_from(posted_request))


def test_a_request_of_30_kb_goes_through_sign_in_and_consent_to_its_tokens(way, relying_party):
    answer = way.answered(way.end(way.begin(state=LONG)))

    assert way.pages == ["/sign-in", "/consent"]
    assert answer["state"] == LONG
    assert "id_token" in relying_party.redeem(answer["code"]).json


@pytest.mark.parametrize(
    ("prompt", "pages"),
    [
        ("login", ["/sign-in"]),
        ("consent", ["/consent"]),
        ("login consent", ["/sign-in", "/consent"]),
    ],
)
def test_what_prompt_asks_for_is_asked_once(way, prompt, pages):
    way.code()
    way.pages.clear()

    assert way.code(state=LONG, prompt=prompt)
    assert way.pages == pages


def test_who_has_signed_in_and_allowed_it_before_gets_the_code_at_once(way):
    way.code()
    way.pages.clear()

    assert way.code(state=LONG, prompt="none")
    assert way.pages == []


def test_claims_of_30_kb_are_honoured(way, relying_party):
    wanted = {"email": {"essential": True}, **{f"claim-{n:026}": None for n in range(800)}}
    claims = json.dumps({"userinfo": wanted})
    assert len(claims) > 30_000

    code = way.code(claims=claims, scope="openid")

    token = relying_party.redeem(code).json["access_token"]
    assert "email" in relying_party.userinfo(token).json


def test_the_answer_may_come_as_a_form_where_no_address_takes_the_state(way):
    answer = way.end(way.begin(state=LONG, response_mode="form_post"))

    assert answer.status_int == 200
    assert answer.forms[0]["state"].value == LONG
    assert answer.forms[0]["code"].value


@pytest.mark.parametrize("length", [1_000, 15_000, 17_000, 24_000, 33_000, 64_000])
def test_no_length_that_a_body_may_have_is_too_long(way, length):
    assert way.begin(state="s" * length).status_int == 303
    answer = way.browser.follow_home(way.begin(state="s" * length))

    assert answer.status_int == 200
    assert answer.request.path == "/sign-in"


def test_its_pages_speak_the_language_that_its_client_asks_for(way):
    page = way.browser.follow_home(way.begin(state=LONG, ui_locales="de"))

    assert page.html.find("html")["lang"] == "de"


def test_only_what_fits_into_no_address_is_kept(way, database):
    way.begin(state="s" * 15_000)
    assert number_kept(database) == 0

    way.begin(state="s" * 17_000)
    assert number_kept(database) == 1


def test_it_is_kept_encrypted(way, database):
    way.begin(state=LONG)

    row = database.reader.execute(select(posted_request)).one()
    assert not any(LONG[:20] in str(value) or way.client.client_id in str(value) for value in row)


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"request": LONG}, "request_not_supported"),
        ({"claims": LONG}, "invalid_request"),
        ({"scope": "unknown " * 4_000}, "invalid_scope"),
    ],
)
def test_what_would_be_refused_in_the_end_is_refused_at_once_and_not_kept(
    way, database, changes, error
):
    assert way.answered(way.begin(**changes))["error"] == error
    assert number_kept(database) == 0


def test_nobody_is_redirected_for_an_unknown_client(way, database):
    asked = way.client.request(client_id="unknown", state=LONG)

    refused = way.browser.post(AUTHORIZE, asked, status=400)

    assert "client_id names no client" in refused
    assert number_kept(database) == 0


@pytest.mark.attack("RFC9700-4.2")
def test_the_first_browser_alone_may_go_on_with_it(app, way):
    address = way.begin(state=LONG).location
    assert way.browser.visit(address).status_int == 303

    assert "This page has expired" in Browser(app).visit(address, status=400)
    assert way.answered(way.end(way.browser.visit(address)))["state"] == LONG


def test_after_ten_minutes_it_has_expired(way, turnable_clock):
    address = way.begin(state=LONG).location
    turnable_clock.advance(minutes=10)

    assert "This page has expired" in way.browser.visit(address, status=400)


def test_a_page_that_was_open_for_too_long_leads_to_the_application(way, turnable_clock):
    page = way.browser.follow_home(way.begin(state=LONG))
    turnable_clock.advance(minutes=11)

    expired = page.forms[0].submit("choice", value="sign-in", expect_errors=True)

    assert expired.status_int == 400
    assert "Start again from the application" in expired


def test_a_reference_that_nobody_was_given_leads_nowhere(browser):
    assert "This page has expired" in browser.get(AUTHORIZE, {"posted": "x"}, status=400)


@pytest.mark.attack("RFC6819-4.4.1.11")
def test_an_address_may_have_twenty_of_them_kept_in_a_minute(make_app, monkeypatch, database):
    app = production_app(make_app, monkeypatch)
    browser = production_browser(app)
    asked = RelyingParty.registered(app, database).request(state=LONG)

    assert {browser.post(AUTHORIZE, asked).status_int for _ in range(20)} == {303}
    refused = browser.post(AUTHORIZE, asked, status=429)

    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert number_kept(database) == 20
    # Others of the same address go their way in the address.
    assert browser.post(AUTHORIZE, asked | {"state": "short"}).status_int == 303


@pytest.mark.attack("RFC6819-4.4.1.11", "EXHAUSTION-senders")
def test_a_site_with_many_ipv6_networks_leaves_places_to_others(make_app, monkeypatch, database):
    monkeypatch.setattr(posted_requests, "MOST_OF_ONE", 1)
    app = production_app(make_app, monkeypatch)
    client = RelyingParty.registered(app, database)

    def post(address):
        browser = at(production_browser(app), address)
        answer = browser.post(AUTHORIZE, client.request(state=LONG))
        return answer.location.startswith(browser.origin)

    # As often as a site may ask.
    assert sum(post(f"2001:db8:0:{number:x}::1") for number in range(20)) == 8
    assert post("2001:db8:1::1")
    assert post("203.0.113.8")
    assert not post("203.0.113.8")


def test_in_local_mode_all_come_from_one_sender_that_has_all_places(way, database, monkeypatch):
    monkeypatch.setattr(posted_requests, "MOST_OF_ONE", 1)

    way.begin(state=LONG)
    way.begin(state=LONG)

    assert number_kept(database) == 2


@pytest.mark.attack("RFC6819-4.4.1.11")
def test_a_client_is_told_when_no_more_can_be_kept(way, database, monkeypatch):
    monkeypatch.setattr(posted_requests, "MOST", 1)
    way.begin(state=LONG)

    refused = way.answered(way.begin(state=LONG))

    assert refused["error"] == "temporarily_unavailable"
    assert "shorter" in refused["error_description"]
    assert refused["state"] == LONG
    assert number_kept(database) == 1
