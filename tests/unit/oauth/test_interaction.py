"""What a request still needs from the person, told case by case."""

from datetime import UTC, datetime, timedelta

import pytest

from authservice import clock
from authservice.oauth.authorize.authorization_request import AuthorizationRequest
from authservice.oauth.authorize.interaction import (
    Consent,
    Issue,
    Refuse,
    SignIn,
    Visit,
    WrongPerson,
    next_interaction,
)
from authservice.services.clients.clients import Client
from authservice.services.people.consents import Consent as GrantedConsent
from authservice.services.people.users import User
from authservice.services.sessions.sessions import CentralSession

NOW = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)
USER = User("ada", "Ada", "ada@example.com", True, None, NOW, NOW)
WEB = "https://app.example.com/cb"


@pytest.fixture(autouse=True)
def _stopped_clock(monkeypatch):
    monkeypatch.setattr(clock, "now", lambda: NOW)


def ago(seconds):
    return NOW - timedelta(seconds=seconds)


def request(prompt="", max_age=None, hint=None, redirect_uri=WEB, **client):
    known = {"public": False, "skip_consent": False} | client
    return AuthorizationRequest(
        client=Client(
            client_id="client",
            client_secret=None,
            name="Example App",
            disabled=False,
            enable_end_session=False,
            scopes=None,
            redirect_uris=(redirect_uri,),
            post_logout_redirect_uris=None,
            **known,
        ),
        redirect_uri=redirect_uri,
        response_mode="query",
        state=None,
        scopes=("openid", "email"),
        code_challenge="x" * 43,
        nonce=None,
        prompt=frozenset(prompt.split()),
        max_age=None if max_age is None else timedelta(seconds=max_age),
        hinted_user_id=hint,
        login_hint=None,
    )


def session(signed_in=3600, session_id="session"):
    moment = ago(signed_in)
    return CentralSession(session_id, NOW + timedelta(days=1), moment, moment, None, None, USER)


def consent(*scopes, given=3600):
    return GrantedConsent(scopes, None, "consent", "client", ago(given), ago(given))


ALL = consent("openid", "email", "profile")
SOME = consent("openid")
JUST_NOW = consent("openid", "email", given=0)


def decide(
    wanted, who=None, allowed=None, *, started=60, chosen=None, local_mode=True, for_them=True
):
    visit = Visit(ago(started), chosen)
    return next_interaction(
        wanted, who, allowed, visit, is_for_user=for_them, local_mode=local_mode
    )


def test_nobody_signed_in_means_sign_in_without_a_reason(subtests):
    for prompt in ("", "login", "consent", "select_account", "login consent"):
        with subtests.test(prompt=prompt):
            assert decide(request(prompt)) == SignIn()


def test_signing_in_again_depends_on_the_sign_in_and_the_first_visit(subtests):
    for prompt, max_age, signed_in, expected in (
        ("", None, 3600, None),
        ("", 3600, 3600, None),
        ("", 3599, 3600, "max_age"),
        ("", 0, 61, "max_age"),
        ("", 0, 60, None),
        ("", 0, 30, None),
        ("login", None, 61, "login"),
        ("login", None, 60, None),
        ("login", None, 0, None),
        ("login", 0, 61, "login"),
        ("login select_account", None, 61, "login"),
        ("select_account", None, 61, "select_account"),
        ("select_account", None, 60, None),
        ("select_account", 1, 61, "max_age"),
        ("consent", None, 3600, None),
    ):
        with subtests.test(prompt=prompt, max_age=max_age, signed_in=signed_in, expected=expected):
            found = decide(request(prompt, max_age), session(signed_in), JUST_NOW)

            if expected is None:
                assert isinstance(found, Issue)
            else:
                assert found == SignIn(expected)


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [("session", Issue), ("another", SignIn), (None, SignIn)],
)
def test_an_account_is_chosen_by_continuing_with_this_very_session(chosen, expected):
    authorization_request = request("select_account")

    assert isinstance(decide(authorization_request, session(), ALL, chosen=chosen), expected)


def test_a_hint_of_another_user_ends_it(subtests):
    for prompt in ("", "none", "login", "consent", "select_account"):
        with subtests.test(prompt=prompt):
            found = decide(request(prompt, hint="bob"), session(), ALL)

            assert isinstance(found, Refuse)
            assert found.error == "login_required"
            assert "id_token_hint" in found.description


def test_a_hint_of_the_same_user_is_fine():
    assert isinstance(decide(request(hint="ada"), session(), ALL), Issue)


def test_without_a_page_what_is_missing_is_an_error(subtests):
    for who, allowed, max_age, error in (
        (None, None, None, "login_required"),
        (None, ALL, 10, "login_required"),
        (session(), ALL, 10, "login_required"),
        (session(), None, None, "consent_required"),
        (session(), SOME, None, "consent_required"),
        (session(), ALL, None, None),
        (session(), ALL, 3600, None),
    ):
        with subtests.test(who=who, allowed=allowed, max_age=max_age, error=error):
            found = decide(request("none", max_age), who, allowed)

            assert (found.error if isinstance(found, Refuse) else None) == error


def test_consent_is_asked_for_what_is_new_and_where_the_request_wants_it(subtests):
    for prompt, skip_consent, allowed, expected in (
        ("", False, None, Consent),
        ("", False, SOME, Consent),
        ("", False, ALL, Issue),
        ("", True, None, Issue),
        ("", True, SOME, Issue),
        ("consent", False, ALL, Consent),
        ("consent", True, None, Consent),
        ("consent", True, ALL, Consent),
        ("consent", False, JUST_NOW, Issue),
        ("consent", True, JUST_NOW, Issue),
        ("consent", False, consent("openid", given=0), Consent),
    ):
        with subtests.test(
            prompt=prompt, skip_consent=skip_consent, allowed=allowed, expected=expected
        ):
            authorization_request = request(prompt, skip_consent=skip_consent)

            assert isinstance(decide(authorization_request, session(), allowed), expected)


NATIVE = [
    "http://127.0.0.1/cb",
    "http://127.0.0.1:4711/cb",
    "http://[::1]:4711/cb",
    "http://localhost:3000/cb",
    "https://localhost:4444/cb",
    "com.example.app:/cb",
]


@pytest.mark.attack("RFC6819-4.2.3")
@pytest.mark.requirement("RFC8252-8.6-1")
def test_outside_local_mode_a_native_public_client_asks_each_time(subtests):
    for redirect_uri in NATIVE:
        with subtests.test(redirect_uri=redirect_uri):
            wanted = request(redirect_uri=redirect_uri, public=True)

            assert decide(wanted, session(), ALL, local_mode=False) == Consent()
            assert isinstance(decide(wanted, session(), JUST_NOW, local_mode=False), Issue)
            assert isinstance(decide(wanted, session(), ALL, local_mode=True), Issue)


@pytest.mark.attack("RFC6819-4.2.3")
def test_one_that_was_registered_to_skip_consent_before_that_was_refused_asks_too(subtests):
    for redirect_uri in NATIVE:
        with subtests.test(redirect_uri=redirect_uri):
            wanted = request(redirect_uri=redirect_uri, public=True, skip_consent=True)

            assert decide(wanted, session(), ALL, local_mode=False) == Consent()
            assert decide(wanted, session(), None, local_mode=False) == Consent()
            assert isinstance(decide(wanted, session(), None, local_mode=True), Issue)


@pytest.mark.requirement("RFC8252-8.6-1")
def test_a_native_client_cannot_slip_through_without_a_page(subtests):
    for redirect_uri in NATIVE:
        with subtests.test(redirect_uri=redirect_uri):
            authorization_request = request("none", redirect_uri=redirect_uri, public=True)

            found = decide(authorization_request, session(), ALL, local_mode=False)

            assert isinstance(found, Refuse)
            assert found.error == "consent_required"


def test_clients_that_cannot_be_impersonated_are_remembered(subtests):
    for redirect_uri, public in ((WEB, True), *((uri, False) for uri in NATIVE)):
        with subtests.test(redirect_uri=redirect_uri, public=public):
            wanted = request(redirect_uri=redirect_uri, public=public)

            assert isinstance(decide(wanted, session(), ALL, local_mode=False), Issue)


def test_a_code_is_issued_for_the_session_that_was_looked_at():
    mine = session(session_id="mine")

    assert decide(request(), mine, ALL) == Issue(mine)


# Whom the client is for


def test_a_client_for_others_is_refused_before_anything_is_asked(subtests):
    for prompt in ("", "consent", "login", "select_account"):
        for allowed in (None, SOME, ALL):
            with subtests.test(prompt=prompt, allowed=allowed):
                who = session(signed_in=0)

                found = decide(request(prompt), who, allowed, for_them=False)

                assert found == WrongPerson(who)


@pytest.mark.parametrize("skip_consent", [False, True])
def test_a_silent_request_of_a_client_for_others_is_answered_at_once(skip_consent):
    authorization_request = request("none", skip_consent=skip_consent)

    found = decide(authorization_request, session(), ALL, for_them=False)

    assert (found.error, isinstance(found, Refuse)) == ("access_denied", True)


@pytest.mark.parametrize(
    ("prompt", "max_age", "reason"),
    [("login", None, "login"), ("", 0, "max_age"), ("select_account", None, "select_account")],
)
def test_who_may_still_come_as_another_person_is_not_refused_yet(prompt, max_age, reason):
    found = decide(request(prompt, max_age), session(), ALL, for_them=False)

    assert found == SignIn(reason)


def test_a_hint_of_another_user_comes_before_the_list():
    found = decide(request(hint="bob"), session(), ALL, for_them=False)

    assert found.error == "login_required"
