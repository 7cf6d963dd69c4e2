"""Enumeration: who guesses learns neither from the answer nor from the effort what there is.

Time is not measured. What would make a difference of it is compared instead: the answers, byte by
byte, and the statements that the database runs.
"""

import re

import pytest

from authservice.crypto.secret_values import random_id, random_token
from tests.helpers.browser import ORIGIN, Browser
from tests.helpers.relying_party import RelyingParty
from tests.helpers.token_states import introspect, revoke

# The driver of SQLite tells which statements it runs.
pytestmark = pytest.mark.engines("sqlite")


@pytest.fixture
def effort(app):
    """Give what calls something and returns its answer with the statements that it took."""
    raw = app.registry.components.database.reader.connection.dbapi_connection

    def measured(call, *arguments):
        statements = []
        raw.set_trace_callback(statements.append)
        answer = call(*arguments)
        raw.set_trace_callback(None)
        # What stands in quotes is what was looked up.
        queries = [re.sub(r"'[^']*'", "?", statement) for statement in statements]
        return answer.status_int, answer.body, queries

    return measured


@pytest.fixture
def other(app, database):
    return RelyingParty.registered(app, database, name="Other App")


@pytest.fixture
def tokens(browser, other):
    return other.redeem(other.sign_in_with(browser)).json


@pytest.mark.attack("TOKENS-enumeration", "RFC6819-4.3.5")
def test_an_unknown_client_and_a_wrong_secret_look_alike(app, database, relying_party, effort):
    unknown = RelyingParty(app, random_id(), random_token(), relying_party.redirect_uri)
    relying_party.client_secret = random_token()

    assert effort(unknown.refresh, "x") == effort(relying_party.refresh, "x")


@pytest.mark.attack("TOKENS-enumeration", "RFC6819-4.6.3")
def test_a_token_of_another_client_looks_like_one_that_never_was(relying_party, tokens, effort):
    for kind in ("access_token", "refresh_token"):
        known = effort(introspect, relying_party, tokens[kind])[:2]
        assert known == effort(introspect, relying_party, random_token())[:2]
        known = effort(revoke, relying_party, tokens[kind])[:2]
        assert known == effort(revoke, relying_party, random_token())[:2]


@pytest.mark.attack("TOKENS-enumeration", "RFC6819-4.5.3", "RFC6819-4.4.1.3")
def test_a_grant_of_another_client_looks_like_one_that_never_was(
    browser, relying_party, other, tokens, effort
):
    code = other.sign_in_with(browser)

    unknown = effort(relying_party.refresh, random_token())[:2]
    assert effort(relying_party.refresh, tokens["refresh_token"])[:2] == unknown
    unknown = effort(relying_party.redeem, random_token())[:2]
    assert effort(relying_party.redeem, code)[:2] == unknown


@pytest.mark.attack("TOKENS-enumeration", "OWASP-SESSION-1")
def test_an_invented_session_token_costs_no_question_whoever_it_is_for(app, browser, effort):
    browser.sign_in()
    token, _, code = browser.cookies["authservice.session_token"].rpartition(".")

    def asking(value):
        guess = Browser(app)
        guess.set_cookie("authservice.session_token", value)
        return guess.get("/api/auth/get-session")

    for value in (f"{token}.{code[:-2]}xx", f"{random_token()}.{code}", random_token(), token):
        status, body, queries = effort(asking, value)
        assert (status, body, queries) == (200, b"null", [])


@pytest.mark.attack("TOKENS-enumeration")
def test_nobody_learns_whose_address_has_an_account(browser, effort):
    def beginning(hint):
        return browser.get("/sign-in", {"callbackURL": f"{ORIGIN}/", "login_hint": hint})

    browser.get("/sign-in")
    known = beginning("local-developer@localhost.localdomain")
    unknown = beginning("nobody@example.com")

    def without_sealed_values(page):
        return re.sub(r'value="[^"]*"', "", page.text)

    assert without_sealed_values(known) == without_sealed_values(unknown)
