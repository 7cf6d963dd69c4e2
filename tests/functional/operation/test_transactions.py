"""A request's writes: all of them or none, and an answer that says so."""

import pytest
from sqlalchemy import func, select, text

from authservice.database.sqlite import engines
from authservice.models import account, session, user
from tests.helpers.browser import ORIGIN
from tests.helpers.refusing_database import allow, refuse
from tests.helpers.verifications import made_by_requests

# A moment that lies beyond the end of the calendar.
NEVER = 2**62


def _count(database, table):
    return database.reader.scalar(select(func.count()).select_from(table))


@pytest.fixture
def leaving(browser):
    form = browser.get("/sign-in", {"callbackURL": "/home"}).forms[0]
    return form.submit("choice", value="sign-in").location


def test_a_sign_in_that_fails_half_way_leaves_nothing_but_a_spent_attempt(
    browser, leaving, database
):
    refuse(database, "INSERT", "session")

    answer = browser.visit(leaving, expect_errors=True)

    assert answer.status_int == 503
    assert answer.headers["Retry-After"] == "5"
    assert "Set-Cookie" not in answer.headers
    assert "the disk is full" not in answer.text
    assert [_count(database, table) for table in (user, account, session)] == [0, 0, 0]
    # Before the provider is queried, and for good.
    (row,) = made_by_requests(database)
    assert row.updated_at is not None


def test_a_new_one_succeeds_when_the_database_is_well_again(browser, leaving, database):
    refuse(database, "INSERT", "session")
    browser.visit(leaving, expect_errors=True)
    allow(database, "session")

    again = browser.visit(leaving, expect_errors=True).html.find("a", "button primary")
    assert again["href"] == f"{ORIGIN}/sign-in?callbackURL=%2Fhome"
    form = browser.visit(again["href"]).forms[0]
    answer = browser.visit(form.submit("choice", value="sign-in").location)
    assert answer.location == f"{ORIGIN}/home"
    assert browser.session() is not None


def test_a_redemption_that_fails_half_way_does_not_spend_the_code(browser, relying_party, database):
    code = relying_party.sign_in_with(browser)
    refuse(database, "INSERT", "oauth_access_token")

    failed = relying_party.redeem(code)

    assert failed.status_int == 503
    assert failed.json["error"] == "temporarily_unavailable"
    allow(database, "oauth_access_token")
    assert relying_party.redeem(code).status_int == 200


@pytest.mark.engines("sqlite")
def test_a_locked_database_is_answered_with_try_again(browser, leaving, database, monkeypatch):
    with database.transaction():
        monkeypatch.setattr(engines, "PATIENCE_SECONDS", 0)
        answer = browser.visit(leaving, expect_errors=True)
    assert answer.status_int == 503

    assert browser.visit(leaving).status_int == 303


@pytest.mark.engines("sqlite")
def test_a_request_that_waits_too_long_for_another_is_told_to_try_again(app, browser, monkeypatch):
    form = browser.get("/sign-in").forms[0]
    ours = app.registry.components.database
    with ours.transaction():
        monkeypatch.setattr(ours.writer.pool, "_timeout", 0)
        answer = form.submit("choice", value="sign-in", expect_errors=True)
    assert answer.status_int == 503
    assert answer.headers["Retry-After"]

    assert form.submit("choice", value="sign-in").status_int == 303


def test_an_unexpected_failure_is_a_500_that_tells_nothing(browser, leaving, database, caplog):
    with database.transaction() as connection:
        connection.execute(text(f"UPDATE verification SET expires_at = {NEVER}"))

    answer = browser.visit(leaving, expect_errors=True)

    assert answer.status_int == 500
    assert answer.content_type == "text/html"
    assert "Traceback" not in answer.text
    assert str(NEVER) not in answer.text
    assert "unexpected error" in caplog.text


@pytest.mark.parametrize(
    ("path", "code"),
    [("/api/auth/get-session", "INTERNAL_SERVER_ERROR"), ("/api/auth/oauth2/userinfo", None)],
)
def test_programs_get_a_500_in_their_own_form(browser, relying_party, database, path, code):
    tokens = relying_party.redeem(relying_party.sign_in_with(browser)).json
    with database.transaction() as connection:
        connection.execute(text(f'UPDATE "user" SET created_at = {NEVER}'))
    headers = {"Authorization": f"Bearer {tokens['access_token']}"}

    answer = browser.get(path, headers=headers, expect_errors=True)

    assert answer.status_int == 500
    if code is None:
        assert answer.json["error"] == "server_error"
    else:
        assert answer.json["code"] == code
