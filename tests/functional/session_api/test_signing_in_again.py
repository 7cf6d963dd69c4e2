"""A sign-in in a browser that has a session: of the same person, or of another one."""

import pytest
from sqlalchemy import select

from authservice.models import session, session_participant
from tests.helpers.browser import ORIGIN, Browser
from tests.helpers.expired import notices
from tests.helpers.production import sign_in_stranger

SHARED = "authservice.session_token"
COMPANION = "authservice.session_host"


def _sessions(database):
    return set(database.reader.scalars(select(session.c.id)).all())


def _participants(database):
    columns = session_participant.c.session_id, session_participant.c.client_id
    return [tuple(row) for row in database.reader.execute(select(*columns))]


@pytest.fixture
def tokens(told_client, browser):
    """What a client got that is to be told of the session's end."""
    return told_client.redeem(told_client.sign_in_with(browser)).json


@pytest.mark.attack("OWASP-SESSION-2")
@pytest.mark.usefixtures("by_hand")
def test_the_same_person_goes_on_in_the_session_under_a_new_token(
    browser, tokens, told_client, database, turnable_clock
):
    before, cookies = browser.session()["session"], dict(browser.cookies)
    turnable_clock.advance(minutes=30)

    browser.sign_in()

    after = browser.session()["session"]
    assert after["id"] == before["id"]
    assert after["createdAt"] > before["createdAt"]
    assert after["expiresAt"] > before["expiresAt"]
    assert browser.cookies[SHARED] != cookies[SHARED]
    assert browser.cookies[COMPANION] != cookies[COMPANION]
    assert _sessions(database) == {before["id"]}
    assert _participants(database) == [(before["id"], told_client.client_id)]
    assert told_client.userinfo(tokens["access_token"]).status_int == 200
    assert notices(database) == []


@pytest.mark.attack("OWASP-SESSION-2")
def test_the_cookies_of_before_are_worth_nothing_then(app, browser, relying_party):
    browser.sign_in()
    before = dict(browser.cookies)
    browser.sign_in()

    for name, kept in ((SHARED, COMPANION), (COMPANION, SHARED)):
        old = Browser(app)
        old.set_cookie(name, before[name])
        old.set_cookie(kept, browser.cookies[kept])
        answer = relying_party.answer(relying_party.authorize(old, prompt="none"))
        assert answer["error"] == "login_required"


@pytest.mark.attack("BROWSER-cookie-theft")
def test_without_the_companion_it_is_another_session(app, browser, database):
    browser.sign_in()
    before = browser.session()["session"]
    thief = Browser(app)
    thief.set_cookie(SHARED, browser.cookies[SHARED])

    thief.sign_in()

    assert thief.session()["session"]["id"] != before["id"]
    assert browser.session()["session"] == before
    assert len(_sessions(database)) == 2


@pytest.mark.attack("BROWSER-other-person")
@pytest.mark.usefixtures("by_hand")
def test_another_person_ends_the_session_of_the_one_before_and_its_clients_are_told(
    app, browser, tokens, told_client, database
):
    former = browser.session()["session"]["id"]
    theirs = sign_in_stranger(browser, app, database).session()["session"]["id"]
    with database.transaction() as connection:
        connection.execute(session_participant.update().values(session_id=theirs))

    browser.sign_in()

    after = browser.session()
    assert after["user"]["id"] == "local-developer"
    # The other tab's session is the one that this browser had; the first one is elsewhere.
    assert _sessions(database) == {former, after["session"]["id"]}
    assert notices(database) == [(theirs, told_client.client_id)]


@pytest.mark.attack("BROWSER-other-person")
def test_continue_does_not_answer_for_somebody_whom_the_page_did_not_name(
    app, browser, relying_party, database
):
    browser.sign_in()
    redirect = relying_party.authorize(browser, prompt="select_account")
    page = browser.visit(redirect.location)
    assert "Local Developer" in page.text
    sign_in_stranger(browser, app, database)

    answer = page.forms[0].submit("choice", value="continue")

    assert answer.location.startswith(f"{ORIGIN}/sign-in?interaction=")
    again = browser.visit(answer.location)
    assert "Ada Lovelace" in again.text
    assert "Local Developer" not in again.text


def test_continue_answers_for_the_person_who_signed_in_again_meanwhile(browser):
    browser.sign_in()
    page = browser.get("/sign-in", {"callbackURL": "/x"})
    browser.sign_in()

    assert page.forms[0].submit("choice", value="continue").location == f"{ORIGIN}/x"
