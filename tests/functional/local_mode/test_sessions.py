"""Sessions on demand: a browser is signed in by one call, and signed out by another."""

from http.cookies import SimpleCookie

import pytest

from authservice import clock
from tests.helpers.browser import Browser
from tests.helpers.control import Control
from tests.helpers.relying_party import RelyingParty

ANNA = {"name": "Anna"}


@pytest.fixture
def anna(control):
    control.put("persons/anna", ANNA)
    return control.post("sessions", {"person": "anna"})


def _browser(app, begun):
    browser = Browser(app)
    browser.extra_environ["HTTP_COOKIE"] = begun["cookie"]
    return browser


def _session(app, begun):
    return Browser(app).get("/api/auth/get-session", headers={"Cookie": begun["cookie"]}).json


def test_the_cookies_are_those_of_a_session_of_the_person(app, anna):
    found = _session(app, anna)

    assert found["user"]["id"] == "anna"
    assert found["session"]["id"] == anna["session_id"]


def test_username_and_groups_are_known_as_after_a_sign_in(make_app, caplog):
    app = make_app(claims__groups_from="acme")
    control = Control(app)
    many = [f"acme/{number:03}" for number in range(201)]
    control.put("persons/anna", {"username": "anna-a", "groups": [*many, "other"]})

    user = _session(app, control.post("sessions", {"person": "anna"}))["user"]

    assert (user["username"], user["groups"]) == ("anna-a", many[:200])
    assert "user anna is in 201 groups: applications are told of 200" in caplog.messages


def test_the_companion_is_among_them(app, database, anna):
    """The account page and the authorization endpoint demand it."""
    headers = {"Cookie": anna["cookie"]}
    page = Browser(app).get("/account", headers=headers)
    relying_party = RelyingParty.registered(app, database, skip_consent=True)
    answer = Browser(app).get(
        "/api/auth/oauth2/authorize", relying_party.request(), headers=headers
    )

    assert "Anna" in page.text
    assert "code=" in answer.location


def test_each_form_holds_the_same_cookies(anna):
    pairs = dict(each.split("=", 1) for each in anna["cookie"].split("; "))
    stored = anna["storage_state"]["cookies"]

    assert {each["name"]: each["value"] for each in stored} == pairs
    assert anna["storage_state"]["origins"] == []
    for text, each in zip(anna["set_cookie"], stored, strict=True):
        (cookie,) = SimpleCookie(text).values()
        assert (cookie.key, cookie.value) == (each["name"], each["value"])
        assert (each["domain"], each["path"]) == ("localhost", "/")
        assert (each["httpOnly"], each["secure"], each["sameSite"]) == (True, False, "Lax")
        assert each["expires"] > clock.now().timestamp() + 600_000


def test_the_answer_itself_sets_no_cookie(control):
    answer = control.ask("POST", "sessions", {"person": "local-developer"})

    assert "Set-Cookie" not in answer.headers


def test_two_sessions_of_a_person_are_two(control):
    first = control.post("sessions", {"person": "local-developer"})
    second = control.post("sessions", {"person": "local-developer"})

    assert first["session_id"] != second["session_id"]
    assert first["cookie"] != second["cookie"]


def test_a_session_is_ended(app, control, anna):
    assert control.delete(f"sessions/{anna['session_id']}") is None

    assert _session(app, anna) is None
    assert control.ask("DELETE", f"sessions/{anna['session_id']}").status_int == 404


def test_all_sessions_of_a_person_are_ended_and_of_no_one_else(app, control, anna):
    other = control.post("sessions", {"person": "local-developer"})
    second = control.post("sessions", {"person": "anna"})

    control.delete("persons/anna/sessions")

    assert (_session(app, anna), _session(app, second)) == (None, None)
    assert _session(app, other)["user"]["id"] == "local-developer"


@pytest.mark.parametrize("end", ["sessions/{session_id}", "persons/anna/sessions", "persons/anna"])
def test_clients_are_told_that_it_ended(app, control, told_client, receiver, anna, end):
    headers = {"Cookie": anna["cookie"]}
    content = {"person": "anna", "client_id": told_client.client_id, "scopes": ["openid"]}
    control.put("consents", content)
    code = told_client.answer(
        Browser(app).get(
            "/api/auth/oauth2/authorize", told_client.request(scope="openid"), headers=headers
        )
    )
    told_client.redeem(code["code"])

    control.delete(end.format(**anna))

    assert receiver.next()


@pytest.mark.attack("LOCAL-bad-request")
def test_a_wrong_request_begins_no_session(subtests, control, database):
    for content, status, field in (
        ({}, 400, "person"),
        ({"person": None}, 400, "person"),
        ({"person": 1}, 400, "person"),
        ({"person": ["anna"]}, 400, "person"),
        ({"person": "anna", "user": "x"}, 400, "user"),
        ({"person": "nobody"}, 400, "person"),
        ({"person": "carol"}, 403, "person"),
    ):
        with subtests.test(content=content, status=status, field=field):
            control.put("persons/carol", {"may_enter": False})

            answer = control.ask("POST", "sessions", content)

            assert (answer.status_int, answer.json["field"]) == (status, field)
            with database.transaction() as connection:
                assert connection.exec_driver_sql("SELECT count(*) FROM session").scalar() == 0


@pytest.mark.attack("LOCAL-bad-request")
def test_what_is_not_there_cannot_be_ended(subtests, control):
    for path in ("sessions/none", "persons/nobody/sessions", "persons/nobody"):
        with subtests.test(path=path):
            assert control.ask("DELETE", path).status_int == 404
