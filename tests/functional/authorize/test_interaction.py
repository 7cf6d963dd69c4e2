"""The sealed interaction: whole, in time and in its browser, and harmless however often used."""

from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import pytest
from sqlalchemy import func, select

from authservice.models import oauth_consent
from tests.helpers.browser import Browser
from tests.helpers.published_keys import decoded
from tests.helpers.relying_party import AUTHORIZE, RelyingParty

PLACES = ["/sign-in", "/consent", AUTHORIZE]


def begun(browser, client, **changes):
    """Return the address of the page that a new request leads to."""
    return client.authorize(browser, **changes).location


def interaction_in(address):
    return parse_qs(urlsplit(address).query)["interaction"][0]


def opened(browser, place, interaction):
    query = urlencode({"interaction": interaction})
    return browser.get(f"{place}?{query}", expect_errors=True)


def refused(response):
    assert response.status_int == 400
    assert "interaction_expired" in response.text
    assert "Location" not in response.headers
    return response


def altered(interaction):
    """Return the interaction with one character changed at several places, cut and grown."""
    for position in range(0, len(interaction), max(1, len(interaction) // 12)):
        other = "A" if interaction[position] != "A" else "B"
        yield interaction[:position] + other + interaction[position + 1 :]
    yield from (interaction[:-1], interaction[1:], interaction + "A", "", "junk", "a.b.c", "🙂")


@pytest.mark.parametrize("place", PLACES)
def test_an_altered_interaction_is_refused_everywhere(browser, relying_party, place):
    interaction = interaction_in(begun(browser, relying_party))

    for junk in altered(interaction):
        page = refused(opened(browser, place, junk))
        assert page.html.find("a", string="Start again") is None


@pytest.mark.attack("TOKENS-replay-interaction")
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("lost", [False, True])
def test_an_expired_interaction_starts_its_request_again(
    browser, relying_party, turnable_clock, place, lost
):
    interaction = interaction_in(begun(browser, relying_party, state="a&b=c"))
    turnable_clock.advance(hours=23)
    if lost:
        browser.reset()

    again = opened(browser, place, interaction)

    assert again.status_int == 303
    assert urlsplit(again.location).path == AUTHORIZE
    assert interaction not in again.location
    answer = browser.follow_home(
        browser.follow_home(again).forms[0].submit("choice", value="sign-in")
    )
    code = relying_party.answer(
        browser.follow_home(answer.forms[0].submit("decision", value="allow"))
    )
    assert code["state"] == "a&b=c"


@pytest.mark.parametrize("place", PLACES)
def test_after_a_day_and_without_cookies_it_says_so(
    app, browser, relying_party, turnable_clock, place
):
    interaction = interaction_in(begun(browser, relying_party))
    # Where cookies are switched off it would go round in circles.
    assert "Cookies are needed" in refused(opened(Browser(app), place, interaction)).text
    turnable_clock.advance(hours=24)

    assert refused(opened(browser, place, interaction)).html.find("a", string="Start again") is None


@pytest.mark.requirement("OIDC-CORE-3.1.2.1-7", "OIDC-CORE-3.1.2.1-11")
@pytest.mark.parametrize("wish", [{"prompt": "login"}, {"max_age": "60"}])
def test_what_starts_again_is_satisfied_by_no_older_sign_in(
    browser, relying_party, turnable_clock, wish
):
    page = browser.visit(begun(browser, relying_party, **wish))
    browser.sign_in()
    turnable_clock.advance(minutes=11)
    asked = int(turnable_clock.moment.timestamp())

    leaving = page.forms[0].submit("choice", value="sign-in")
    turnable_clock.advance(minutes=1)
    consent = browser.follow_home(browser.follow_home(leaving))

    assert consent.request.path == "/consent"
    allowed = browser.follow_home(consent.forms[0].submit("decision", value="allow"))
    tokens = relying_party.redeem(relying_party.answer(allowed)["code"]).json
    assert decoded(tokens["id_token"], browser)[1]["auth_time"] > asked


def test_a_consent_that_was_left_open_is_asked_for_again(
    browser, relying_party, turnable_clock, database
):
    page = browser.visit(begun(browser, relying_party))
    consent = browser.follow_home(page.forms[0].submit("choice", value="sign-in"))
    turnable_clock.advance(hours=20)

    for decision in ("allow", "deny"):
        again = browser.follow_home(consent.forms[0].submit("decision", value=decision))
        assert again.request.path == "/consent"
        assert database.reader.scalar(select(func.count()).select_from(oauth_consent)) == 0
    allowed = browser.follow_home(again.forms[0].submit("decision", value="allow"))
    assert "code" in relying_party.answer(allowed)


@pytest.mark.parametrize("place", PLACES)
def test_another_browser_is_refused_and_starts_the_request_again(
    app, browser, relying_party, place
):
    interaction = interaction_in(begun(browser, relying_party))
    stranger = Browser(app)

    for _ in range(2):
        page = refused(opened(stranger, place, interaction))
        again = page.html.find("a", string="Start again")["href"]
        assert dict(parse_qsl(urlsplit(again).query)) == relying_party.request()
        begun(stranger, relying_party)
    assert "/sign-in?" in stranger.visit(again).location
    assert opened(browser, place, interaction).status_int in {200, 303}


@pytest.mark.attack("TOKENS-replay-interaction", "FAILURES-13")
def test_another_browser_cannot_answer_for_this_one(app, browser, relying_party, database):
    browser.sign_in()
    form = browser.visit(begun(browser, relying_party)).forms[0]
    stranger = Browser(app)
    stranger.sign_in()
    own = stranger.visit(begun(stranger, relying_party)).forms[0]
    own["interaction"] = form["interaction"].value

    refused(own.submit("decision", value="allow", expect_errors=True))
    assert database.reader.scalar(select(func.count()).select_from(oauth_consent)) == 0


@pytest.mark.attack("FAILURES-16")
def test_an_interaction_cannot_be_widened_by_parameters_beside_it(browser, relying_party):
    browser.sign_in()
    address = begun(browser, relying_party, scope="openid")

    page = browser.visit(f"{address}&scope=openid+email&redirect_uri=https://evil.example/")

    assert [code.text for code in page.html.select("ul.scopes code")] == ["openid"]


def test_a_request_with_a_client_id_is_a_new_request(browser, relying_party):
    sent = relying_party.request() | {"interaction": "junk"}

    assert urlsplit(browser.get(AUTHORIZE, sent).location).path == "/sign-in"


def test_opening_a_page_twice_shows_it_twice(browser, relying_party):
    address = begun(browser, relying_party)

    assert browser.visit(address).status_int == 200
    assert browser.visit(address).status_int == 200


def test_going_back_to_the_sign_in_page_after_signing_in_leads_on(browser, relying_party):
    address = begun(browser, relying_party)
    browser.follow_home(browser.visit(address).forms[0].submit("choice", value="sign-in"))

    page = browser.visit(address)
    answer = browser.follow_home(page.forms[0].submit("choice", value="continue"))

    assert answer.request.path == "/consent"


def test_allowing_twice_gives_two_good_codes_and_one_consent(browser, relying_party, database):
    browser.sign_in()
    form = browser.visit(begun(browser, relying_party)).forms[0]

    answers = [browser.follow_home(form.submit("decision", value="allow")) for _ in range(2)]
    codes = {relying_party.answer(answer)["code"] for answer in answers}

    assert len(codes) == 2
    assert [relying_party.redeem(code).status_int for code in codes] == [200, 200]
    assert database.reader.scalar(select(func.count()).select_from(oauth_consent)) == 1


def test_going_back_to_consent_after_the_end_gives_another_code(browser, relying_party):
    browser.sign_in()
    address = begun(browser, relying_party)
    first = browser.visit(address).forms[0].submit("decision", value="allow")
    relying_party.answer(browser.follow_home(first))

    again = browser.visit(address).forms[0].submit("decision", value="allow")

    assert "code" in relying_party.answer(browser.follow_home(again))


@pytest.mark.requirement("RFC6749-4.1.2.1-4")
def test_denying_after_allowing_denies_this_answer_only(browser, relying_party):
    browser.sign_in()
    form = browser.visit(begun(browser, relying_party)).forms[0]
    browser.follow_home(form.submit("decision", value="allow"))

    denied = relying_party.answer(form.submit("decision", value="deny"))

    assert denied["error"] == "access_denied"
    assert "code" in relying_party.answer(relying_party.authorize(browser))


def test_tabs_of_several_clients_do_not_disturb_each_other(app, browser, database):
    clients = [
        RelyingParty.registered(app, database, redirect_uris=[f"https://app{n}.example.com/cb"])
        for n in range(3)
    ]
    tabs = [browser.visit(begun(browser, client, state=client.client_id)) for client in clients]
    browser.follow_home(tabs[0].forms[0].submit("choice", value="sign-in"))

    for client, tab in zip(clients, tabs, strict=True):
        consent = browser.follow_home(browser.get(tab.request.path_qs).forms[0].submit("choice"))
        answer = browser.follow_home(consent.forms[0].submit("decision", value="allow"))
        assert client.answer(answer)["state"] == client.client_id


@pytest.mark.attack("FAILURES-17")
def test_a_client_that_was_changed_meanwhile_is_checked_anew(browser, relying_party, database):
    browser.sign_in()
    page = browser.visit(begun(browser, relying_party))
    with database.transaction() as connection:
        connection.exec_driver_sql("UPDATE oauth_client SET disabled = 1")

    answer = page.forms[0].submit("decision", value="allow", expect_errors=True)

    assert answer.status_int == 400
    assert "client_id names no client" in answer.text
