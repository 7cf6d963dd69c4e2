"""Managing sessions and connected applications over the session API."""

import pytest
from sqlalchemy import func, select

from authservice.models import oauth_refresh_token
from tests.helpers.browser import ORIGIN, Browser
from tests.helpers.cookies import cookies_set_by
from tests.helpers.production import sign_in_stranger
from tests.helpers.relying_party import RelyingParty

HEADERS = {"Origin": ORIGIN}
DONE = {"status": True}
POSTS = [
    "/api/auth/revoke-session",
    "/api/auth/revoke-sessions",
    "/api/auth/revoke-other-sessions",
    "/api/auth/oauth2/delete-consent",
]
GETS = [
    "/api/auth/list-sessions",
    "/api/auth/token",
    "/api/auth/oauth2/public-client",
    "/api/auth/oauth2/get-consents",
]


@pytest.fixture
def second(app):
    """Another browser in which the same person is signed in."""
    browser = Browser(app)
    browser.sign_in()
    return browser


@pytest.fixture
def signed_in(browser):
    browser.sign_in()
    return browser


@pytest.fixture
def stranger(app, database):
    """Another user's browser."""
    return sign_in_stranger(Browser(app), app, database)


@pytest.fixture
def other_party(app, database):
    redirect_uris = ["https://other.example.com/callback"]
    return RelyingParty.registered(app, database, name="Other App", redirect_uris=redirect_uris)


def post(browser, name, **body):
    return browser.post_json(f"/api/auth/{name}", body, headers=HEADERS, expect_errors=True)


def handle(browser):
    return browser.session()["session"]["token"]


def tokens_of(party, browser):
    return party.redeem(party.sign_in_with(browser)).json


def without_device(listed):
    """Return the sessions as applications are told of them."""
    return [each | {"ipAddress": None, "userAgent": None} for each in listed.json]


@pytest.mark.story("list_sessions")
def test_the_list_shows_each_session_as_get_session_does(signed_in, second):
    listed = signed_in.get("/api/auth/list-sessions")

    assert without_device(listed) == [each.session()["session"] for each in (signed_in, second)]
    assert listed.headers["Cache-Control"] == "no-store"


def test_the_list_leaves_out_what_has_expired_and_what_is_somebody_elses(
    app, stranger, turnable_clock
):
    Browser(app).sign_in()
    turnable_clock.advance(days=7)
    fresh = Browser(app)
    fresh.sign_in()

    listed = fresh.get("/api/auth/list-sessions")
    assert without_device(listed) == [fresh.session()["session"]]


@pytest.mark.story("revoke_session")
def test_one_session_is_ended_by_its_handle(signed_in, second):
    answer = post(signed_in, "revoke-session", token=handle(second))

    assert answer.json == DONE
    assert second.session() is None
    assert signed_in.session() is not None


def test_the_own_session_may_be_that_one(signed_in, second):
    assert post(signed_in, "revoke-session", token=handle(signed_in)).json == DONE

    assert signed_in.session() is None
    assert second.session() is not None


@pytest.mark.attack("TOKENS-enumeration")
def test_somebody_elses_session_is_out_of_reach(signed_in, stranger):
    for token in (handle(stranger), "x", ""):
        assert post(signed_in, "revoke-session", token=token).json == DONE

    assert stranger.session() is not None
    assert signed_in.session() is not None


@pytest.mark.parametrize("body", [{}, {"token": None}, {"token": 1}, {"token": ["x"]}])
def test_the_handle_has_to_be_text(signed_in, body):
    answer = post(signed_in, "revoke-session", **body)

    assert (answer.status_int, answer.json["code"]) == (400, "VALIDATION_ERROR")
    assert "token" in answer.json["message"]


def test_a_revoked_session_takes_its_access_tokens_along(signed_in, second, relying_party):
    tokens = tokens_of(relying_party, second)

    post(signed_in, "revoke-session", token=handle(second))

    assert relying_party.userinfo(tokens["access_token"]).status_int == 401
    assert relying_party.refresh(tokens["refresh_token"]).status_int == 200


@pytest.mark.story("revoke_other_sessions")
def test_all_other_sessions_are_ended(app, signed_in, second, stranger):
    third = Browser(app)
    third.sign_in()

    answer = post(signed_in, "revoke-other-sessions")

    assert answer.json == DONE
    assert "Set-Cookie" not in answer.headers
    assert second.session() is None
    assert third.session() is None
    assert signed_in.session() is not None
    assert stranger.session() is not None


@pytest.mark.story("revoke_sessions")
@pytest.mark.attack("OWASP-SESSION-8")
def test_signing_out_everywhere_leaves_no_session_and_no_token(
    signed_in, second, relying_party, other_party, database
):
    first = tokens_of(relying_party, signed_in)
    other = tokens_of(other_party, second)

    answer = post(signed_in, "revoke-sessions")

    assert answer.json == DONE
    cleared = cookies_set_by(answer)
    assert {"authservice.session_token", "authservice.session_host"} == set(cleared)
    assert all(cookie.value == "" for cookie in cleared.values())
    assert second.session() is None
    for party, tokens in ((relying_party, first), (other_party, other)):
        assert party.userinfo(tokens["access_token"]).status_int == 401
        assert party.refresh(tokens["refresh_token"]).json["error"] == "invalid_grant"
    living = oauth_refresh_token.c.revoked.is_(None)
    assert database.reader.scalar(select(func.count()).where(living)) == 0


def test_it_reaches_tokens_whose_session_had_ended_before(app, signed_in, relying_party):
    tokens = tokens_of(relying_party, signed_in)
    post(signed_in, "sign-out")
    again = Browser(app)
    again.sign_in()

    post(again, "revoke-sessions")

    assert relying_party.refresh(tokens["refresh_token"]).json["error"] == "invalid_grant"


def test_it_ends_nothing_of_somebody_else(signed_in, stranger, relying_party):
    tokens = tokens_of(relying_party, stranger)

    post(signed_in, "revoke-sessions")

    assert stranger.session() is not None
    assert relying_party.userinfo(tokens["access_token"]).status_int == 200
    assert relying_party.refresh(tokens["refresh_token"]).status_int == 200


@pytest.mark.story("consents.public_client")
def test_what_people_may_know_of_a_client_holds_no_secret(signed_in, relying_party):
    parameters = {"client_id": relying_party.client_id}

    answer = signed_in.get("/api/auth/oauth2/public-client", parameters)

    assert answer.json == {
        "client_id": relying_party.client_id,
        "client_name": "Example App",
        "redirect_uris": ["https://app.example.com/callback"],
    }
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("parameters", [{}, {"client_id": ""}, {"client_id": "x" * 32}])
def test_an_unknown_client_is_not_found(signed_in, parameters):
    answer = signed_in.get("/api/auth/oauth2/public-client", parameters, expect_errors=True)

    assert answer.status_int == 404
    assert answer.json == {"message": "Client not found", "code": "NOT_FOUND"}


@pytest.mark.story("consents.get")
def test_consents_are_listed_with_their_members(signed_in, relying_party):
    assert signed_in.get("/api/auth/oauth2/get-consents").json == []
    relying_party.sign_in_with(signed_in, scope="openid email")

    (consent,) = signed_in.get("/api/auth/oauth2/get-consents").json

    dates = [consent.pop("createdAt"), consent.pop("updatedAt")]
    assert all(
        date.endswith("Z") and len(date) == len("2026-01-01T00:00:00.000Z") for date in dates
    )
    assert len(consent.pop("id")) == 32
    assert consent == {
        "clientId": relying_party.client_id,
        "userId": "local-developer",
        "referenceId": None,
        "scopes": ["openid", "email"],
        "resources": [],
    }


def consent_of(browser, party):
    listed = browser.get("/api/auth/oauth2/get-consents").json
    return next(each["id"] for each in listed if each["clientId"] == party.client_id)


@pytest.mark.story("consents.delete")
def test_taking_access_back_revokes_the_clients_tokens_and_no_others(
    signed_in, relying_party, other_party
):
    taken = tokens_of(relying_party, signed_in)
    kept = tokens_of(other_party, signed_in)

    answer = post(signed_in, "oauth2/delete-consent", id=consent_of(signed_in, relying_party))

    assert answer.json == DONE
    assert relying_party.userinfo(taken["access_token"]).status_int == 401
    assert relying_party.refresh(taken["refresh_token"]).json["error"] == "invalid_grant"
    assert other_party.userinfo(kept["access_token"]).status_int == 200
    assert other_party.refresh(kept["refresh_token"]).status_int == 200


def test_the_client_has_to_ask_again(signed_in, relying_party):
    relying_party.sign_in_with(signed_in)

    post(signed_in, "oauth2/delete-consent", id=consent_of(signed_in, relying_party))

    answer = relying_party.answer(relying_party.authorize(signed_in, prompt="none"))
    assert answer["error"] == "consent_required"


def test_somebody_elses_consent_is_not_found(signed_in, stranger, relying_party):
    tokens = tokens_of(relying_party, stranger)
    theirs = consent_of(stranger, relying_party)

    for body in ({"id": theirs}, {"id": "x"}, {}):
        answer = post(signed_in, "oauth2/delete-consent", **body)
        assert answer.status_int == 404
        assert answer.json == {"message": "Consent not found", "code": "NOT_FOUND"}

    assert consent_of(stranger, relying_party) == theirs
    assert relying_party.refresh(tokens["refresh_token"]).status_int == 200


@pytest.mark.parametrize("path", GETS)
def test_whoever_is_not_signed_in_reads_nothing(browser, path):
    answer = browser.get(path, expect_errors=True)

    assert answer.status_int == 401
    assert answer.json == {"message": "Unauthorized", "code": "UNAUTHORIZED"}


@pytest.mark.parametrize("path", POSTS)
def test_whoever_is_not_signed_in_changes_nothing(browser, path):
    answer = browser.post_json(path, {"token": "x", "id": "x"}, headers=HEADERS, expect_errors=True)

    assert answer.status_int == 401
    assert answer.json == {"message": "Unauthorized", "code": "UNAUTHORIZED"}


@pytest.mark.parametrize("path", POSTS)
def test_only_a_json_object_is_read(signed_in, path):
    form = signed_in.post(path, {"token": "x"}, headers=HEADERS, expect_errors=True)
    assert (form.status_int, form.json["code"]) == (415, "UNSUPPORTED_MEDIA_TYPE")

    array = signed_in.post_json(path, ["x"], headers=HEADERS, expect_errors=True)
    assert (array.status_int, array.json["code"]) == (400, "BODY_MUST_BE_AN_OBJECT")

    assert signed_in.session() is not None


def test_a_foreign_page_is_refused_though_its_request_brings_no_cookie(subtests, browser):
    for path in ("/api/auth/sign-out", "/api/auth/sign-in/social", *POSTS):
        for origin, code in (
            ("https://evil.example", "INVALID_ORIGIN"),
            ("null", "MISSING_OR_NULL_ORIGIN"),
        ):
            with subtests.test(path=path, origin=origin, code=code):
                answer = browser.post(path, headers={"Origin": origin}, expect_errors=True)

                assert answer.status_int == 403
                assert answer.json["code"] == code
                assert "Set-Cookie" not in answer.headers
