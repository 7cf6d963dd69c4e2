"""The npm package's own client, unmodified, in Node.js against a real local-mode server."""

from datetime import datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.first_party.npm_client import NpmClient
from tests.helpers.processes import LocalService

HOME = "http://localhost:3999/home"
CHANGES = [
    ("signOut", None),
    ("revokeSessions", None),
    ("revokeOtherSessions", None),
    ("revokeSession", {"token": "x"}),
    ("signIn.social", {"provider": "github"}),
]


def _own(client):
    return client.call("getSession")["session"]


def test_without_a_session_there_is_none_and_no_error(client):
    assert client.answer("getSession") == {"data": None, "error": None}


def test_a_sign_in_leads_over_the_one_click_page_back_to_the_application(service, client):
    options = {
        "provider": "github",
        "callbackURL": HOME,
        "errorCallbackURL": "http://localhost:3999/failed",
    }

    begun = client.call("signIn.social", options)

    assert begun["redirect"] is True
    address = urlsplit(begun["url"])
    assert f"{address.scheme}://{address.netloc}{address.path}" == f"{service.url}/sign-in"
    assert parse_qs(address.query) == {
        "callbackURL": [HOME],
        "errorCallbackURL": ["http://localhost:3999/failed"],
    }
    assert client.follow(begun["url"]) == HOME


def test_the_application_may_open_the_address_itself(client):
    options = {"provider": "github", "callbackURL": HOME, "disableRedirect": True}

    begun = client.call("signIn.social", options)

    assert begun["redirect"] is False
    assert client.follow(begun["url"]) == HOME


def test_the_session_and_its_user_arrive_with_dates(client):
    client.sign_in()

    found = client.call("getSession")

    user, session = found["user"], found["session"]
    assert user["id"] == session["userId"] == "local-developer"
    assert user["name"] == "Local Developer"
    assert user["email"] == "local-developer@localhost.localdomain"
    assert user["emailVerified"] is True
    assert user["username"] == "local-developer"
    assert "groups" not in user
    assert session["expiresAt"] - session["createdAt"] == timedelta(days=7)
    dates = [user["createdAt"], user["updatedAt"], session["updatedAt"]]
    assert all(isinstance(date, datetime) for date in dates)
    assert client.call("getSession", {"query": {"disableRefresh": True}}) == found


@pytest.mark.engines("sqlite")
@pytest.mark.parametrize(
    ("organization", "told"), [("acme", ["acme", "acme/platform"]), ("elsewhere", [])]
)
def test_groups_arrive_as_they_are(tmp_path, organization, told):
    persons = tmp_path / "persons.toml"
    persons.write_text(
        '[person.local-developer]\ngroups = ["acme", "acme/platform", "other"]\n', "utf-8"
    )
    service = LocalService(
        tmp_path, CLAIMS_GROUPS_FROM=organization, AUTH_LOCAL_PERSONS=str(persons)
    )
    client = NpmClient(service.url, "http://localhost:3999")
    try:
        client.sign_in()
        user = client.call("getSession")["user"]

        assert (user["username"], user["groups"]) == ("local-developer", told)
        assert client.call("token")["token"].count(".") == 2
    finally:
        client.stop()
        service.stop()


def test_a_new_sign_in_of_the_same_person_goes_on_in_the_session(client):
    client.sign_in()
    first = _own(client)
    client.sign_in()

    assert _own(client)["id"] == first["id"]
    assert _own(client)["createdAt"] > first["createdAt"]


def test_all_sessions_are_listed_with_their_browsers(client, make_client):
    other = make_client()
    client.sign_in()
    other.sign_in()

    listed = {session["id"]: session for session in client.call("listSessions")}

    for each in (client, other):
        session = listed[_own(each)["id"]]
        assert (session["ipAddress"], type(session["userAgent"])) == ("127.0.0.1", str)
        assert session | {"ipAddress": None, "userAgent": None} == _own(each)


def test_one_session_is_revoked_by_its_token(client, make_client):
    other = make_client()
    client.sign_in()
    other.sign_in()

    revoked = client.call("revokeSession", {"token": _own(other)["token"]})

    assert revoked == {"status": True}
    assert other.call("getSession") is None
    assert client.call("getSession") is not None


def test_all_others_are_revoked(client, make_client):
    other = make_client()
    client.sign_in()
    other.sign_in()

    assert client.call("revokeOtherSessions") == {"status": True}

    assert other.call("getSession") is None
    assert [each["id"] for each in client.call("listSessions")] == [_own(client)["id"]]


def test_all_are_revoked(client, make_client):
    other = make_client()
    client.sign_in()
    other.sign_in()

    assert client.call("revokeSessions") == {"status": True}

    assert other.call("getSession") is None
    assert client.call("getSession") is None


def test_signing_out_ends_this_session_only(client, make_client):
    other = make_client()
    client.sign_in()
    other.sign_in()

    assert client.call("signOut") == {"success": True}

    assert client.call("getSession") is None
    assert other.call("getSession") is not None


def test_signing_out_twice_is_no_error(client):
    client.sign_in()

    assert client.call("signOut") == client.call("signOut") == {"success": True}


def test_the_session_is_handed_out_as_a_jwt(client):
    client.sign_in()

    assert client.call("token")["token"].count(".") == 2


def test_whoever_is_not_signed_in_gets_an_error_that_says_so(subtests, client):
    for name, argument in (
        ("listSessions", None),
        ("token", None),
        ("revokeSession", {"token": "x"}),
        ("revokeSessions", None),
        ("revokeOtherSessions", None),
        ("oauth2.getConsents", None),
        ("oauth2.deleteConsent", {"id": "x"}),
    ):
        with subtests.test(name=name):
            assert client.error(name, argument) == {
                "status": 401,
                "statusText": "Unauthorized",
                "message": "Unauthorized",
                "code": "UNAUTHORIZED",
            }


def test_a_refused_sign_in_has_a_status_a_message_and_a_code(subtests, client):
    for options, status, code in (
        ({"provider": "gitlab"}, 404, "PROVIDER_NOT_FOUND"),
        ({"callbackURL": "https://evil.example/"}, 403, "INVALID_CALLBACK_URL"),
        ({"errorCallbackURL": "//evil.example"}, 403, "INVALID_ERROR_CALLBACK_URL"),
        ({"newUserCallbackURL": "javascript:alert(1)"}, 403, "INVALID_NEW_USER_CALLBACK_URL"),
        ({"callbackURL": 1}, 400, "VALIDATION_ERROR"),
    ):
        with subtests.test(options=options):
            error = client.error("signIn.social", {"provider": "github"} | options)

            assert (error["status"], error["code"]) == (status, code)
            assert error["message"]


def test_with_a_session_nothing_changes_without_a_trusted_origin(subtests, service, make_client):
    for origin, code in (
        (None, "MISSING_OR_NULL_ORIGIN"),
        ("null", "MISSING_OR_NULL_ORIGIN"),
        ("http://evil.test", "INVALID_ORIGIN"),
        ("http://127.0.0.2:3999", "INVALID_ORIGIN"),
    ):
        with subtests.test(origin=origin):
            client = make_client(origin)
            client.follow(f"{service.url}/sign-in?callbackURL={HOME}")

            for name, argument in CHANGES:
                error = client.error(name, argument)
                assert (error["status"], error["code"]) == (403, code)
                assert error["message"]
            assert client.call("getSession") is not None
