"""Requests that arrive together at several processes: one effect, and no answer is a failure."""

import json
import random
from collections import Counter
from datetime import timedelta

import pytest
from sqlalchemy import func, select, text

from authservice.models import (
    account,
    jwks,
    oauth_access_token,
    oauth_consent,
    oauth_refresh_token,
    session,
    user,
)
from tests.helpers.applications import LOCAL
from tests.helpers.browser import Browser
from tests.helpers.relying_party import TOKEN
from tests.helpers.verifications import made_by_requests

MANY = 100


# Long enough for the slowest machine: no test depends on how fast it is.
GRACE = 300


@pytest.fixture
def workers(make_processes, engine):
    """Four processes that have built nothing yet."""
    return make_processes(engine.local_environ)


@pytest.fixture
def settings(database_url):
    return LOCAL | {"auth.database_url": database_url, "lifetimes.refresh_grace": str(GRACE)}


@pytest.fixture
def processes(workers, settings):
    """Give four processes with the application on the test's database."""
    workers.build(settings)
    return workers


def _count(database, table):
    return database.reader.scalar(select(func.count()).select_from(table))


def _statuses(answers):
    return Counter(answer["status"] for answer in answers)


def _token_request(relying_party, **form):
    headers = relying_party.credentials()
    return {"path": TOKEN, "form": form, "headers": headers}


def _redemption(relying_party, code):
    return _token_request(
        relying_party,
        grant_type="authorization_code",
        code=code,
        redirect_uri=relying_party.redirect_uri,
        code_verifier=relying_party.verifier,
    )


def _refresh(relying_party, token):
    return _token_request(relying_party, grant_type="refresh_token", refresh_token=token)


@pytest.mark.usefixtures("clients_of_all_algs")
def test_processes_that_start_together_make_three_keys(workers, settings, database):
    assert _count(database, jwks) == 0

    workers.build(settings)
    answers = workers.send([{"path": "/api/auth/jwks"}] * 8)

    assert _count(database, jwks) == 3
    assert len({answer["body"] for answer in answers}) == 1
    assert len(json.loads(answers[0]["body"])["keys"]) == 3


@pytest.mark.attack("TOKENS-race-code", "FAILURES-2")
@pytest.mark.requirement("RFC6749-4.1.2-2")
def test_one_code_is_redeemed_once(processes, browser, relying_party, database):
    code = relying_party.sign_in_with(browser)

    answers = processes.send([_redemption(relying_party, code)] * MANY)

    assert _statuses(answers) == {200: 1, 400: MANY - 1}
    errors = {json.loads(each["body"])["error"] for each in answers if each["status"] == 400}
    assert errors == {"invalid_grant"}
    assert _count(database, oauth_refresh_token) == 1
    # Those who came late held a code that was used before: what the first one got is revoked.
    assert _count(database, oauth_access_token) == 0
    assert database.reader.scalar(select(oauth_refresh_token.c.revoked)) is not None


def test_codes_of_one_person_are_redeemed_side_by_side(processes, browser, relying_party, database):
    codes = [relying_party.sign_in_with(browser) for _ in range(20)]

    answers = processes.send([_redemption(relying_party, code) for code in codes])

    assert _statuses(answers) == {200: 20}
    assert _count(database, oauth_access_token) == 20
    assert _count(database, oauth_consent) == 1


@pytest.mark.attack("TOKENS-race-refresh", "FAILURES-3")
def test_one_refresh_token_has_one_successor_that_all_get(
    processes, browser, relying_party, database
):
    first = relying_party.redeem(relying_party.sign_in_with(browser)).json

    answers = processes.send([_refresh(relying_party, first["refresh_token"])] * MANY)

    assert _statuses(answers) == {200: MANY}
    tokens = [json.loads(answer["body"]) for answer in answers]
    successors = {each["refresh_token"] for each in tokens}
    assert len(successors) == 1
    assert successors != {first["refresh_token"]}
    assert len({each["access_token"] for each in tokens}) == MANY
    assert _count(database, oauth_refresh_token) == 1
    assert relying_party.refresh(successors.pop()).status_int == 200
    assert relying_party.userinfo(tokens[-1]["access_token"]).status_int == 200


def test_a_family_leaves_its_session_once_and_what_ended_with_that_stays_ended(
    processes, browser, relying_party, database
):
    first = relying_party.redeem(relying_party.sign_in_with(browser)).json
    with database.transaction() as connection:
        connection.execute(text("UPDATE session SET expires_at = created_at"))

    answers = processes.send([_refresh(relying_party, first["refresh_token"])] * 40)

    assert _statuses(answers) == {200: 40}
    issued = [json.loads(answer["body"])["access_token"] for answer in answers]
    assert {relying_party.userinfo(token).status_int for token in issued} == {200}
    assert relying_party.userinfo(first["access_token"]).status_int == 401
    assert _count(database, oauth_access_token) == 40
    (session_id,) = database.reader.scalars(select(oauth_refresh_token.c.session_id)).all()
    assert session_id is None


@pytest.mark.attack("TOKENS-race-refresh")
@pytest.mark.requirement("RFC6749-10.4-3", "RFC9700-4.14.2-1")
def test_a_replay_ends_the_family_for_all(processes, browser, relying_party, database):
    first = relying_party.redeem(relying_party.sign_in_with(browser)).json
    relying_party.refresh(first["refresh_token"])
    # As the clean-up does when the grace is over.
    with database.transaction() as connection:
        connection.execute(text("UPDATE oauth_refresh_token SET recent = NULL"))

    answers = processes.send([_refresh(relying_party, first["refresh_token"])] * 40)

    assert _statuses(answers) == {400: 40}
    assert _count(database, oauth_access_token) == 0
    (revoked,) = database.reader.scalars(select(oauth_refresh_token.c.revoked)).all()
    assert revoked is not None


@pytest.mark.attack("TOKENS-race-attempt")
def test_one_sign_in_attempt_makes_one_session(processes, browser, database):
    form = browser.get("/sign-in", {"callbackURL": "/home"}).forms[0]
    leaving = form.submit("choice", value="sign-in").location
    callback = {"path": browser.path(leaving), "headers": {"Cookie": browser.cookie_header()}}

    answers = processes.send([callback] * 8)

    # One is exchanged, and the others lead on as it does, into the same session.
    assert _statuses(answers) == {303: 8}
    assert {answer["location"] for answer in answers} == {f"{browser.origin}/home"}
    assert len({str(answer["cookies"]) for answer in answers}) == 1
    assert [_count(database, table) for table in (session, user, account)] == [1, 1, 1]


@pytest.mark.attack("TOKENS-race-attempt")
def test_one_form_sent_many_times_is_one_attempt(processes, browser, database):
    form = browser.get("/sign-in").forms[0]
    fields = {name: form[name].value for name in ("attempt", "csrf_token")}
    request = {
        "path": "/sign-in",
        "form": fields | {"choice": "sign-in"},
        "headers": {"Cookie": browser.cookie_header()},
    }

    answers = processes.send([request] * MANY)

    assert _statuses(answers) == {303: MANY}
    assert len({answer["location"] for answer in answers}) == 1
    assert len(made_by_requests(database)) == 1


@pytest.mark.attack("TOKENS-race-person")
def test_the_first_sign_ins_of_one_person_make_one_user(processes, app, database):
    requests = []
    for _ in range(20):
        browser = Browser(app)
        leaving = browser.get("/sign-in").forms[0].submit("choice", value="sign-in").location
        headers = {"Cookie": browser.cookie_header()}
        requests.append({"path": browser.path(leaving), "headers": headers})

    answers = processes.send(requests)

    assert _statuses(answers) == {303: 20}
    assert [_count(database, table) for table in (session, user, account)] == [20, 1, 1]


def test_one_session_is_extended_by_many_without_a_failure(processes, browser, database):
    browser.sign_in()
    with database.transaction() as connection:
        connection.execute(text("UPDATE session SET updated_at = updated_at - 100000000"))
    request = {"path": "/api/auth/get-session", "headers": {"Cookie": browser.cookie_header()}}

    answers = processes.send([request] * MANY)

    assert _statuses(answers) == {200: MANY}
    assert len({json.loads(answer["body"])["session"]["id"] for answer in answers}) == 1
    assert [len(answer["cookies"]) for answer in answers if answer["cookies"]] == [2]


@pytest.mark.attack("OWASP-SESSION-6")
def test_a_renewed_session_has_its_whole_life_whoever_extends_the_old_one(
    processes, browser, database
):
    browser.sign_in()
    for _ in range(10):
        # Near the end of its longest life.
        with database.transaction() as connection:
            connection.execute(
                text(
                    "UPDATE session SET created_at = created_at - :nearly,"
                    " updated_at = updated_at - :nearly"
                ),
                {"nearly": 1000 * 86400 * 89},
            )
        form = browser.get("/sign-in").forms[0]
        leaving = form.submit("choice", value="sign-in").location
        headers = {"Cookie": browser.cookie_header()}
        renewal = {"path": browser.path(leaving), "headers": headers}
        reading = {"path": "/api/auth/get-session", "headers": headers}
        requests = [*[reading] * 4, renewal, *[reading] * 15]

        answers = processes.send(requests)

        (renewed,) = [answer for answer in answers if answer["status"] == 303]
        row = database.reader.execute(select(session)).one()
        assert row.expires_at - row.created_at == timedelta(days=7)
        for header in renewed["cookies"]:
            name, _, value = header.partition(";")[0].partition("=")
            browser.set_cookie(name, value)
        assert browser.session()["session"]["id"] == row.id


def test_issuing_and_taking_back_side_by_side_leave_nothing_behind(
    processes, app, browser, relying_party, database
):
    codes = [relying_party.sign_in_with(browser) for _ in range(30)]
    families = [relying_party.redeem(code).json["refresh_token"] for code in codes[:15]]
    first_party = {"Cookie": browser.cookie_header(), "Origin": browser.origin}
    (consent,) = browser.get("/api/auth/oauth2/get-consents").json
    browsers = [Browser(app) for _ in range(3)]
    for other in browsers:
        other.sign_in()
    requests = [
        *(_redemption(relying_party, code) for code in 2 * codes[15:]),
        *(_redemption(relying_party, code) for code in codes[:5]),
        *(_refresh(relying_party, token) for token in 2 * families),
        *(
            {
                "path": "/api/auth/oauth2/revoke",
                "form": {"token": token},
                "headers": relying_party.credentials(),
            }
            for token in families[5:10]
        ),
        *(
            {
                "path": "/api/auth/sign-out",
                "json": {},
                "headers": first_party | {"Cookie": other.cookie_header()},
            }
            for other in browsers
        ),
        *(
            {"path": f"/api/auth/{path}", "json": content, "headers": first_party}
            for path, content in [
                ("oauth2/delete-consent", {"id": consent["id"]}),
                ("oauth2/delete-consent", {"id": consent["id"]}),
                ("revoke-other-sessions", {}),
            ]
        ),
    ]
    random.Random(7).shuffle(requests)

    answers = processes.send(requests)

    assert set(_statuses(answers)) <= {200, 400, 404}
    # Consent was not requested again, so all of it went with the one there was.
    assert _count(database, oauth_consent) == 0
    assert _count(database, oauth_access_token) == 0
    assert None not in database.reader.scalars(select(oauth_refresh_token.c.revoked)).all()
